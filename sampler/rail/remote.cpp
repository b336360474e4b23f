// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>

#include "core/error.h"
#include "sampler/rail/rail_group.h"

namespace nmt::sampler::remote {
namespace {

using json::Reader;
using json::Value;

constexpr std::size_t kFailureBytesMax = 300;
constexpr std::uint64_t kRepeatsMax = 1'000'000'000;
constexpr std::uint64_t kCountMax = std::uint64_t{1} << 53;

// Parses a text of the other end and passes a reader of it to `read`.
template <class Read>
auto parsed(const std::string& text, std::string_view what, Read read) {
  try {
    const Value document = json::parse(text, what, kTextBytesMax);
    return read(Reader(document, what));
  } catch (const Error& error) {
    throw Error(Fault::kPeer, std::string("malformed message from the peer: ") + error.what());
  }
}

Value to_json(const Condition& condition) {
  Value out = Value::object();
  for_each_field(condition, [&](std::string_view name, const auto& field) {
    out.set(std::string(name), field);
  });
  return out;
}

Condition condition_from(const Reader& reader) {
  Condition condition;
  for_each_field(condition, [&](std::string_view name, auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, std::string>) {
      field = reader[name].text();
    } else {
      field = reader[name].integer(0, std::int64_t{1} << 53);
    }
  });
  return condition;
}

Value to_json(const Sample& sample) {
  if (sample.repetitions.size() > kRepetitionsMax) {
    throw Error(
        Fault::kFailed,
        fmt::format(
            "{} repetitions of one cell are more than the {} that the peer accepts; start another "
            "campaign",
            sample.repetitions.size(), kRepetitionsMax));
  }
  Value repetitions = Value::array();
  for (const Repetition& each : sample.repetitions) {
    repetitions.push_back(Value::array()
                              .push_back(each.total_ns)
                              .push_back(each.batch)
                              .push_back(each.round)
                              .push_back(each.disturbed));
  }
  return Value::object()
      .set("condition", to_json(sample.condition))
      .set("size_bytes", sample.size_bytes)
      .set("held_out", sample.held_out)
      .set("run_delay_ns", sample.run_delay_ns)
      .set("repetitions", std::move(repetitions));
}

Sample sample_from(const Reader& reader, std::uint64_t size_bytes_max) {
  Sample sample{.condition = condition_from(reader["condition"]),
                .size_bytes = reader["size_bytes"].unsigned_integer(size_bytes_max),
                .held_out = reader["held_out"].boolean(),
                .run_delay_ns = reader["run_delay_ns"].number(0)};
  for (const Reader& each : reader["repetitions"].items()) {
    if (sample.repetitions.size() == kRepetitionsMax) each.fail("too many repetitions");
    Repetition repetition{
        .total_ns = each[0].unsigned_integer(kCountMax),
        .batch = static_cast<std::uint32_t>(each[1].unsigned_integer(kRepeatsMax)),
        .round = static_cast<std::uint32_t>(each[2].unsigned_integer(kRepeatsMax)),
        .disturbed = each[3].boolean()};
    if (repetition.batch == 0) each[1].fail("a batch of nothing");
    sample.repetitions.push_back(repetition);
  }
  return sample;
}

Value to_json(const node::Interference& interference) {
  return Value::array()
      .push_back(interference.run_delay_ns)
      .push_back(interference.involuntary_switches)
      .push_back(interference.steal_ns)
      .push_back(interference.pressure_ns);
}

node::Interference interference_from_json(const Reader& reader) {
  return {.run_delay_ns = reader[0].unsigned_integer(kCountMax),
          .involuntary_switches = reader[1].unsigned_integer(kCountMax),
          .steal_ns = reader[2].unsigned_integer(kCountMax),
          .pressure_ns = reader[3].unsigned_integer(kCountMax)};
}

Value to_json(const RailGroup& group) {
  Value list = Value::array();
  list.push_back(group.measured);
  for (const std::size_t rail : group.busy) list.push_back(rail);
  return list;
}

// A group among `rails` rails, each at most once.
RailGroup group_from(const Reader& reader, std::size_t rails) {
  std::vector<std::size_t> numbers;
  for (const Reader& each : reader.items()) {
    const std::size_t number = each.unsigned_integer(rails);
    if (number == rails) each.fail("no such rail");
    if (std::ranges::find(numbers, number) != numbers.end())
      each.fail("a rail together with itself");
    numbers.push_back(number);
  }
  if (numbers.empty()) reader.fail("no rail");
  return {.measured = numbers.front(), .busy = {numbers.begin() + 1, numbers.end()}};
}

Value to_json(const RailReport& rail) {
  return Value::object()
      .set("rails", to_json(rail.group))
      .set("complete", rail.complete)
      .set("failure", json::printable(rail.failure, kFailureBytesMax))
      .set("fault", static_cast<int>(rail.fault))
      .set("cells", rail.cells)
      .set("repetitions", rail.repetitions)
      .set("disturbed", rail.disturbed)
      .set("watch_repetitions", rail.watch_repetitions)
      .set("untrusted_cells", rail.untrusted_cells)
      .set("precision", rail.precision)
      .set("drift", rail.drift)
      .set("elapsed_ns", rail.elapsed_ns);
}

RailReport rail_report_from(const Reader& reader, std::span<const RailToSample> rails) {
  const auto count = [&](std::string_view name) {
    return static_cast<std::size_t>(reader[name].unsigned_integer(kCountMax));
  };
  const RailGroup group = group_from(reader["rails"], rails.size());
  return {.group = group,
          .rail = rails[group.measured].rail.full_name(),
          .busy_rails = busy_names(group, rails),
          .complete = reader["complete"].boolean(),
          .failure = json::printable(reader["failure"].text(), 500),
          .fault = static_cast<Fault>(reader["fault"].integer(static_cast<int>(Fault::kFailed),
                                                              static_cast<int>(Fault::kStale))),
          .cells = count("cells"),
          .repetitions = count("repetitions"),
          .disturbed = count("disturbed"),
          .watch_repetitions = count("watch_repetitions"),
          .untrusted_cells = count("untrusted_cells"),
          .precision = reader["precision"].number(0),
          .drift = reader["drift"].number(),
          .elapsed_ns = reader["elapsed_ns"].number(0)};
}

}  // namespace

std::string machine() { return node::read_line("/proc/sys/kernel/random/boot_id"); }

std::string to_text(const Opening& opening) {
  return Value::object()
      .set("rails", to_json(opening.group))
      .set("machine", opening.machine)
      .dump(-1);
}

Opening opening_from(const std::string& text, std::size_t rails) {
  return parsed(text, "opening", [&](const Reader& reader) {
    return Opening{.group = group_from(reader["rails"], rails),
                   .machine = reader["machine"].text()};
  });
}

std::string to_text(std::span<const Step> block) {
  NMT_CHECK(block.size() <= kStepsMax);
  Value steps = Value::array();
  for (const Step& step : block) {
    const Experiment& experiment = step.experiment;
    steps.push_back(Value::array()
                        .push_back(kTraffics[experiment.traffic].benchmark)
                        .push_back(to_string(experiment.method))
                        .push_back(experiment.regime == Regime::kCold)
                        .push_back(experiment.size_bytes)
                        .push_back(step.warm_ups)
                        .push_back(step.repetitions)
                        .push_back(step.batch)
                        .push_back(experiment.contended)
                        .push_back(experiment.variant));
  }
  return steps.dump(-1);
}

std::vector<Step> steps_from(const std::string& text, std::uint64_t size_bytes_max) {
  return parsed(text, "block", [&](const Reader& reader) {
    const std::vector<Reader> items = reader.items();
    if (items.size() > kStepsMax) reader.fail("too many steps");
    std::vector<Step> steps;
    for (const Reader& item : items) {
      const auto repeats = [&](std::size_t index) {
        return static_cast<std::uint32_t>(item[index].unsigned_integer(kRepeatsMax));
      };
      const auto traffic = std::ranges::find(kTraffics, item[0].text(), &Traffic::benchmark);
      const std::optional<Method> method = parse_method(item[1].text());
      if (traffic == std::end(kTraffics)) item[0].fail("no such benchmark");
      if (!method) item[1].fail("no such method");
      steps.push_back(
          {.experiment = {.traffic = static_cast<std::uint8_t>(traffic - std::begin(kTraffics)),
                          .method = *method,
                          .variant = static_cast<std::uint8_t>(
                              item[8].unsigned_integer(std::numeric_limits<std::uint8_t>::max())),
                          .regime = item[2].boolean() ? Regime::kCold : Regime::kHot,
                          .contended = item[7].boolean(),
                          .size_bytes = item[3].unsigned_integer(size_bytes_max)},
           .warm_ups = repeats(4),
           .repetitions = repeats(5),
           .batch = repeats(6)});
    }
    return steps;
  });
}

std::string to_text(const node::Interference& interference) {
  return to_json(interference).dump(-1);
}

node::Interference interference_from(const std::string& text) {
  return parsed(text, "report",
                [&](const Reader& reader) { return interference_from_json(reader); });
}

std::string to_text(const BlockResult& result) {
  Value totals = Value::array();
  for (const std::vector<std::uint64_t>& of_step : result.totals_ns) {
    Value list = Value::array();
    for (const std::uint64_t total_ns : of_step) list.push_back(total_ns);
    totals.push_back(std::move(list));
  }
  return Value::object()
      .set("totals_ns", std::move(totals))
      .set("elapsed_ns", result.elapsed_ns)
      .set("interference", to_json(result.interference))
      .dump(-1);
}

BlockResult result_from(const std::string& text, std::span<const Step> block) {
  return parsed(text, "times", [&](const Reader& reader) {
    BlockResult result{.elapsed_ns = reader["elapsed_ns"].unsigned_integer(kCountMax),
                       .interference = interference_from_json(reader["interference"])};
    for (const Reader& step : reader["totals_ns"].items()) {
      const std::size_t number = result.totals_ns.size();
      if (number == block.size()) step.fail("more steps than were ordered");
      std::vector<std::uint64_t>& totals_ns = result.totals_ns.emplace_back();
      for (const Reader& total : step.items()) {
        totals_ns.push_back(total.unsigned_integer(kCountMax));
      }
      if (totals_ns.size() != block[number].repetitions) step.fail("another number of repetitions");
    }
    if (result.totals_ns.size() != block.size()) reader.fail("fewer steps than were ordered");
    return result;
  });
}

std::string to_text(const RailGroup& group, std::span<const Sample> cells) {
  Value list = Value::array();
  for (const Sample& cell : cells) list.push_back(to_json(cell));
  return Value::object().set("rails", to_json(group)).set("cells", std::move(list)).dump(-1);
}

Cells cells_from(const std::string& text, std::span<const RailToSample> rails,
                 std::uint64_t size_bytes_max) {
  return parsed(text, "cells", [&](const Reader& reader) {
    Cells cells{.group = group_from(reader["rails"], rails.size())};
    for (const Reader& each : reader["cells"].items()) {
      Sample& cell = cells.cells.emplace_back(sample_from(each, size_bytes_max));
      if (!cell.condition.busy_rails.empty()) {
        cell.condition.busy_rails = busy_names(cells.group, rails);
      }
    }
    return cells;
  });
}

std::string to_text(const Progress& progress) {
  return Value::object()
      .set("phase", progress.phase)
      .set("done", progress.done)
      .set("left_ns", progress.left_ns)
      .set("cells", progress.cells)
      .dump(-1);
}

Progress progress_from(const std::string& text) {
  return parsed(text, "progress", [&](const Reader& reader) {
    return Progress{.phase = json::printable(reader["phase"].text()),
                    .done = reader["done"].number(0, 1),
                    .left_ns = reader["left_ns"].number(0),
                    .cells = reader["cells"].unsigned_integer(kCountMax)};
  });
}

std::string to_text(const CampaignReport& report) {
  Value rails = Value::array();
  for (const RailReport& rail : report.rails) rails.push_back(to_json(rail));
  return Value::object()
      .set("rails", std::move(rails))
      .set("interrupted", report.interrupted)
      .set("quality", report.quality)
      .set("disturbed", report.disturbed)
      .set("trusted", report.trusted)
      .set("elapsed_ns", report.elapsed_ns)
      .dump(-1);
}

CampaignReport report_from(const std::string& text, std::span<const RailToSample> rails) {
  return parsed(text, "end", [&](const Reader& reader) {
    CampaignReport report{.interrupted = reader["interrupted"].boolean(),
                          .quality = reader["quality"].number(0, 1),
                          .disturbed = reader["disturbed"].boolean(),
                          .trusted = reader["trusted"].boolean(),
                          .elapsed_ns = reader["elapsed_ns"].number(0)};
    for (const Reader& each : reader["rails"].items()) {
      report.rails.push_back(rail_report_from(each, rails));
    }
    return report;
  });
}

std::string expect(control::Message message, Kind kind) {
  if (message.kind == kFailure) {
    throw Error(Fault::kPeer, "the peer reports: " + json::printable(message.text, 500));
  }
  if (message.kind == kClose)
    throw Error(Fault::kPeer, "the peer closed the rail; its own messages name the cause");
  if (message.kind != kind) {
    throw Error(Fault::kPeer,
                "unexpected message from the peer; run the same version of nmadtune on both nodes");
  }
  return std::move(message.text);
}

std::string RemoteExchange::swap(std::string_view mine) {
  peer_.send(kExchange, mine);
  control::Message answer = peer_.receive(kAnswerTimeout);
  closed_ = answer.kind == kClose;
  return expect(std::move(answer), kExchange);
}

}  // namespace nmt::sampler::remote
