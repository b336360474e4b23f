// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/terms.h"

#include <algorithm>

#include "tools/peer/meeting.h"

namespace nmt::bench {
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

// The numbers of an account that are told, by name.
template <class Struct, class Number>
struct Named {
  std::string_view name;
  Number Struct::*member;
};
constexpr Named<LinkState, std::uint64_t> kLinkCounts[] = {
    {"messages", &LinkState::messages_sent},
    {"packets", &LinkState::packets_sent},
    {"bytes", &LinkState::bytes_sent},
    {"packets_again", &LinkState::packets_again}};
constexpr Named<GateState, std::uint64_t> kGateCounts[] = {
    {"eager_sends", &GateState::eager_sends},
    {"asked_sends", &GateState::asked_sends},
    {"ahead_sends", &GateState::ahead_sends},
    {"chunks_sent", &GateState::chunks_sent},
    {"split_messages", &GateState::split_messages},
    {"foreseen_releases", &GateState::foreseen_releases}};
constexpr Named<GateState, double> kGateDurations[] = {
    {"split_duration_ns", &GateState::split_duration_ns},
    {"split_apart_ns", &GateState::split_apart_ns},
    {"foreseen_duration_ns", &GateState::foreseen_duration_ns},
    {"foreseen_error_ns", &GateState::foreseen_error_ns}};

// Calls `change` with each number of one and its counterpart of the other; both have the same
// links.
template <class Change>
void change_all(Account& account, const Account& other, Change change) {
  change(account.processor_ns, other.processor_ns);
  for (const auto& [name, member] : kGateCounts) change(account.gate.*member, other.gate.*member);
  for (const auto& [name, member] : kGateDurations) {
    change(account.gate.*member, other.gate.*member);
  }
  for (std::size_t i = 0; i < account.links.size(); ++i) {
    for (const auto& [name, member] : kLinkCounts) {
      change(account.links[i].*member, other.links[i].*member);
    }
  }
}

}  // namespace

Account& operator+=(Account& account, const Account& other) {
  account.links.resize(other.links.size());
  change_all(account, other, [](auto& to, const auto& from) { to += from; });
  return account;
}

Account operator-(Account after, const Account& before) {
  change_all(after, before, [](auto& to, const auto& from) { to -= from; });
  return after;
}

Value to_json(const Terms& terms) {
  Value contenders = Value::array();
  for (const Contender& each : terms.contenders) {
    contenders.push_back(Value::object()
                             .set("strategy", each.strategy)
                             .set("only", each.only ? Value(*each.only) : Value()));
  }
  return Value::object()
      .set("contenders", std::move(contenders))
      .set("size_bytes_max", terms.size_bytes_max)
      .set("at_once_max", terms.at_once_max)
      .set("no_profile", terms.no_profile);
}

Terms terms_from(const std::string& text, std::size_t rails) {
  return read_theirs(text, "terms", [&](const Reader& reader) {
    Terms terms{.size_bytes_max = reader["size_bytes_max"].unsigned_integer(kSizeBytesMax),
                .at_once_max = count_from(reader["at_once_max"], kAtOnceMax),
                .no_profile = reader["no_profile"].boolean()};
    for (const Reader& each : reader["contenders"].items()) {
      if (terms.contenders.size() == kContendersMax) each.fail("too many contenders");
      Contender contender{.strategy = name_from(each["strategy"])};
      if (const Reader only = each["only"]; !only.is_null()) {
        contender.only = only.unsigned_integer(rails);
        if (*contender.only == rails) only.fail("no such rail");
      }
      terms.contenders.push_back(std::move(contender));
    }
    return terms;
  });
}

Value to_json(const BenchCell& cell) {
  return Value::object()
      .set("contender", cell.contender)
      .set("pattern", kPatternNames[static_cast<std::size_t>(cell.pattern)])
      .set("sizes_bytes", to_json(cell.sizes_bytes))
      .set("segments", cell.segments)
      .set("at_once", cell.at_once)
      .set("count", cell.count);
}

BenchCell cell_from(const std::string& text, const Terms& terms) {
  return read_theirs(text, "cell", [&](const Reader& reader) {
    const std::string pattern = reader["pattern"].text();
    const auto known = std::ranges::find(kPatternNames, pattern);
    if (known == kPatternNames.end()) reader["pattern"].fail("no such pattern");
    BenchCell cell{.contender = static_cast<std::uint32_t>(
                       reader["contender"].unsigned_integer(kContendersMax)),
                   .pattern = static_cast<Pattern>(known - kPatternNames.begin()),
                   .sizes_bytes = numbers_from(reader["sizes_bytes"], terms.size_bytes_max),
                   .segments = count_from(reader["segments"], kSegmentsMax),
                   .at_once = count_from(reader["at_once"], terms.at_once_max),
                   .count = count_from(reader["count"], kCountMax)};
    if (cell.contender >= terms.contenders.size()) reader["contender"].fail("no such contender");
    if (cell.sizes_bytes.empty() || cell.sizes_bytes.size() > kSizesMax) {
      reader["sizes_bytes"].fail("none, or too many");
    }
    return cell;
  });
}

Value to_json(const Account& account) {
  Value links = Value::array();
  for (const LinkState& link : account.links) {
    Value counts = Value::object();
    for (const auto& [name, member] : kLinkCounts) counts.set(std::string(name), link.*member);
    links.push_back(std::move(counts));
  }
  Value all = Value::object().set("processor_ns", account.processor_ns);
  for (const auto& [name, member] : kGateCounts) all.set(std::string(name), account.gate.*member);
  for (const auto& [name, member] : kGateDurations) {
    all.set(std::string(name), account.gate.*member);
  }
  return all.set("links", std::move(links));
}

Account account_from(const std::string& text, std::size_t rails) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  return read_theirs(text, "account", [&](const Reader& reader) {
    Account account{.processor_ns = reader["processor_ns"].number(0),
                    .links = std::vector<LinkState>(rails)};
    for (const auto& [name, member] : kGateCounts) {
      account.gate.*member = reader[name].unsigned_integer(kMax);
    }
    for (const auto& [name, member] : kGateDurations) {
      account.gate.*member = reader[name].number(0);
    }
    for (std::size_t i = 0; i < rails; ++i) {
      for (const auto& [name, member] : kLinkCounts) {
        account.links[i].*member = reader["links"][i][name].unsigned_integer(kMax);
      }
    }
    return account;
  });
}

}  // namespace nmt::bench
