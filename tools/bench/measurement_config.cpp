// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/measurement_config.h"

#include <algorithm>

#include "tools/peer/rail_negotiation.h"

namespace nmt::tools::bench {
namespace {

using json::Reader;
using json::Value;

constexpr std::size_t kContendersMax = 64;
constexpr std::size_t kSizesMax = 1024;

std::uint32_t count_from(const Reader& reader, std::uint32_t high) {
  const std::uint64_t count = reader.unsigned_integer(high);
  if (count == 0) reader.fail("is 0");
  return static_cast<std::uint32_t>(count);
}

Value to_json(const std::vector<std::uint64_t>& numbers) {
  Value list = Value::array();
  for (const std::uint64_t number : numbers) list.push_back(number);
  return list;
}

std::vector<std::uint64_t> numbers_from(const Reader& reader, std::uint64_t high) {
  std::vector<std::uint64_t> numbers;
  for (const Reader& each : reader.items()) numbers.push_back(each.unsigned_integer(high));
  return numbers;
}

// The reported numbers of a struct, by name.
template <class Struct, class Number>
struct Named {
  std::string_view name;
  Number Struct::*member;
};
constexpr Named<engine::LinkState, std::uint64_t> kLinkCounts[] = {
    {"messages", &engine::LinkState::messages_sent},
    {"packets", &engine::LinkState::packets_sent},
    {"bytes", &engine::LinkState::bytes_sent},
    {"packets_again", &engine::LinkState::packets_again}};
constexpr Named<engine::GateState, std::uint64_t> kGateCounts[] = {
    {"eager_sends", &engine::GateState::eager_sends},
    {"asked_sends", &engine::GateState::asked_sends},
    {"ahead_sends", &engine::GateState::ahead_sends},
    {"chunks_sent", &engine::GateState::chunks_sent},
    {"split_messages", &engine::GateState::split_messages},
    {"foreseen_releases", &engine::GateState::foreseen_releases}};
constexpr Named<engine::GateState, double> kGateDurations[] = {
    {"split_duration_ns", &engine::GateState::split_duration_ns},
    {"split_apart_ns", &engine::GateState::split_apart_ns},
    {"foreseen_duration_ns", &engine::GateState::foreseen_duration_ns},
    {"foreseen_error_ns", &engine::GateState::foreseen_error_ns}};

// Calls `change` for each number of one and the same number of the other; both have the same links.
template <class Change>
void change_all(ResourceUsage& usage, const ResourceUsage& other, Change change) {
  change(usage.processor_ns, other.processor_ns);
  for (const auto& [name, member] : kGateCounts) change(usage.gate.*member, other.gate.*member);
  for (const auto& [name, member] : kGateDurations) {
    change(usage.gate.*member, other.gate.*member);
  }
  for (std::size_t i = 0; i < usage.links.size(); ++i) {
    for (const auto& [name, member] : kLinkCounts) {
      change(usage.links[i].*member, other.links[i].*member);
    }
  }
}

}  // namespace

ResourceUsage& operator+=(ResourceUsage& usage, const ResourceUsage& other) {
  usage.links.resize(other.links.size());
  change_all(usage, other, [](auto& to, const auto& from) { to += from; });
  return usage;
}

ResourceUsage operator-(ResourceUsage after, const ResourceUsage& before) {
  change_all(after, before, [](auto& to, const auto& from) { to -= from; });
  return after;
}

Value to_json(const MeasurementConfig& config) {
  Value contenders = Value::array();
  for (const Contender& each : config.contenders) {
    contenders.push_back(Value::object()
                             .set("strategy", each.strategy)
                             .set("only", each.only ? Value(*each.only) : Value()));
  }
  return Value::object()
      .set("contenders", std::move(contenders))
      .set("size_bytes_max", config.size_bytes_max)
      .set("at_once_max", config.at_once_max)
      .set("no_profile", config.no_profile);
}

MeasurementConfig measurement_config_from(const std::string& text, std::size_t rails) {
  return read_theirs(text, "terms", [&](const Reader& reader) {
    MeasurementConfig config{
        .size_bytes_max = reader["size_bytes_max"].unsigned_integer(kSizeBytesMax),
        .at_once_max = count_from(reader["at_once_max"], kAtOnceMax),
        .no_profile = reader["no_profile"].boolean()};
    for (const Reader& each : reader["contenders"].items()) {
      if (config.contenders.size() == kContendersMax) each.fail("too many contenders");
      Contender contender{.strategy = name_from(each["strategy"])};
      if (const Reader only = each["only"]; !only.is_null()) {
        contender.only = only.unsigned_integer(rails);
        if (*contender.only == rails) only.fail("no such rail");
      }
      config.contenders.push_back(std::move(contender));
    }
    return config;
  });
}

Value to_json(const BenchCell& cell) {
  return Value::object()
      .set("contender", cell.contender)
      .set("pattern", kTrafficPatternNames[static_cast<std::size_t>(cell.pattern)])
      .set("sizes_bytes", to_json(cell.sizes_bytes))
      .set("segments", cell.segments)
      .set("at_once", cell.at_once)
      .set("count", cell.count);
}

BenchCell cell_from(const std::string& text, const MeasurementConfig& config) {
  return read_theirs(text, "cell", [&](const Reader& reader) {
    const std::string pattern = reader["pattern"].text();
    const auto known = std::ranges::find(kTrafficPatternNames, pattern);
    if (known == kTrafficPatternNames.end()) reader["pattern"].fail("no such pattern");
    BenchCell cell{.contender = static_cast<std::uint32_t>(
                       reader["contender"].unsigned_integer(kContendersMax)),
                   .pattern = static_cast<TrafficPattern>(known - kTrafficPatternNames.begin()),
                   .sizes_bytes = numbers_from(reader["sizes_bytes"], config.size_bytes_max),
                   .segments = count_from(reader["segments"], kSegmentsMax),
                   .at_once = count_from(reader["at_once"], config.at_once_max),
                   .count = count_from(reader["count"], kCountMax)};
    if (cell.contender >= config.contenders.size()) reader["contender"].fail("no such contender");
    if (cell.sizes_bytes.empty() || cell.sizes_bytes.size() > kSizesMax) {
      reader["sizes_bytes"].fail("none, or too many");
    }
    return cell;
  });
}

Value to_json(const ResourceUsage& usage) {
  Value links = Value::array();
  for (const engine::LinkState& link : usage.links) {
    Value counts = Value::object();
    for (const auto& [name, member] : kLinkCounts) counts.set(std::string(name), link.*member);
    links.push_back(std::move(counts));
  }
  Value all = Value::object().set("processor_ns", usage.processor_ns);
  for (const auto& [name, member] : kGateCounts) all.set(std::string(name), usage.gate.*member);
  for (const auto& [name, member] : kGateDurations) {
    all.set(std::string(name), usage.gate.*member);
  }
  return all.set("links", std::move(links));
}

ResourceUsage usage_from(const std::string& text, std::size_t rails) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  return read_theirs(text, "account", [&](const Reader& reader) {
    ResourceUsage usage{.processor_ns = reader["processor_ns"].number(0),
                        .links = std::vector<engine::LinkState>(rails)};
    for (const auto& [name, member] : kGateCounts) {
      usage.gate.*member = reader[name].unsigned_integer(kMax);
    }
    for (const auto& [name, member] : kGateDurations) {
      usage.gate.*member = reader[name].number(0);
    }
    for (std::size_t i = 0; i < rails; ++i) {
      for (const auto& [name, member] : kLinkCounts) {
        usage.links[i].*member = reader["links"][i][name].unsigned_integer(kMax);
      }
    }
    return usage;
  });
}

}  // namespace nmt::tools::bench
