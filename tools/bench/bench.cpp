// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/error.h"
#include "core/statistics.h"
#include "core/units.h"
#include "profiledb/profiledb.h"
#include "tools/bench/duo.h"

namespace nmt {
namespace {

constexpr std::uint64_t kSizesBytes[] = {1,     64,     512,     4096,    16384,
                                         65536, 262144, 1048576, 4194304, 16777216};
constexpr std::uint64_t kSizeBytesMax = std::uint64_t{1} << 30;
constexpr std::uint64_t kRounds = 15;
constexpr std::uint64_t kStreamWindow = 16;
constexpr std::uint32_t kCountMax = 100000;  // of a repetition

struct CloseProfile {
  void operator()(nmt_profile* profile) const { nmt_close(profile); }
};
using OpenedProfile = std::unique_ptr<nmt_profile, CloseProfile>;

// The profile to decide by; none is a way to run, but a user should know.
OpenedProfile open_profile(const BenchOptions& options, const Invocation& invocation) {
  if (options.no_profile) return nullptr;
  char message[1000] = "";
  const std::string file = options.db.empty() ? "" : locate_for_reading(options.db).file;
  nmt_open_options wanted{};
  wanted.struct_bytes = sizeof wanted;
  wanted.file = file.empty() ? nullptr : file.c_str();
  wanted.message = message;
  wanted.message_bytes = sizeof message;
  nmt_profile* profile = nullptr;
  const int status = nmt_open(&wanted, &profile);
  if (status == NMT_OK) return OpenedProfile(profile);
  if (!options.db.empty()) throw Error(Fault::kDatabase, message);
  invocation.notice(fmt::format("strategies have no advice: {}", message));
  return nullptr;
}

// The rails of this node by name; one may be named several times, for several links over it.
std::vector<RailInUse> choose(const std::string& wanted,
                              const std::vector<std::unique_ptr<Driver>>& drivers) {
  std::vector<RailInUse> usable;
  std::vector<std::string> names;
  for (const std::unique_ptr<Driver>& driver : drivers) {
    for (const Rail& rail : driver->detect().rails) {
      names.push_back(rail.full_name());
      usable.push_back({driver.get(), rail});
    }
  }
  if (usable.empty()) throw Error(Fault::kNoRail, "no usable rail; see nmad-sample --list");
  if (wanted.empty()) return usable;
  std::vector<RailInUse> chosen;
  for (const std::string& name : split_list(wanted)) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) {
      throw Error(Fault::kUsage,
                  fmt::format("--rails: no rail {}{}", name, suggestion(name, names)));
    }
    chosen.push_back(usable[static_cast<std::size_t>(at - names.begin())]);
  }
  return chosen;
}

// Durations of one cell by each strategy, per operation, one from every round.
std::vector<std::vector<double>> measure(Duo& duo, Cell cell, std::size_t strategies,
                                         const BenchOptions& options, std::mt19937_64& random) {
  const RealClock clock;
  std::vector<std::vector<double>> durations_ns(strategies);
  std::vector<std::uint32_t> counts(strategies, 1);
  std::vector<std::uint32_t> order(strategies);
  const auto play = [&](std::uint32_t strategy) {
    cell.strategy = strategy;
    cell.count = counts[strategy];
    const std::uint64_t start_ns = clock.now_ns();
    duo.play(cell);
    return static_cast<double>(clock.now_ns() - start_ns);
  };
  for (std::uint32_t i = 0; i < strategies; ++i) {  // warms up, and finds out how many fit
    order[i] = i;
    double elapsed_ns = play(i);
    while (elapsed_ns < options.repetition_ns && counts[i] < kCountMax) {
      const double factor = std::min(10.0, 1.2 * options.repetition_ns / elapsed_ns);
      counts[i] = std::min(kCountMax, static_cast<std::uint32_t>(counts[i] * factor) + 1);
      elapsed_ns = play(i);
    }
  }
  for (std::uint64_t round = 0; round < options.rounds.value_or(kRounds); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t strategy : order) {
      const double elapsed_ns = play(strategy);
      durations_ns[strategy].push_back(elapsed_ns / cell.operations());
    }
  }
  return durations_ns;
}

class BenchReport {
 public:
  explicit BenchReport(std::size_t strategies) : many_(strategies > 1), table_(headings()) {
    report_.records.header = {"pattern",  "strategy", "size_bytes",
                              "segments", "at_once",  "latency_ns",
                              "low_ns",   "high_ns",  "bandwidth_bytes_per_second"};
  }

  void add(const Cell& cell, const std::string& pattern, const std::vector<std::string>& strategies,
           const std::vector<std::vector<double>>& durations_ns) {
    double best_ns = median(durations_ns[0]);
    for (const std::vector<double>& each : durations_ns) best_ns = std::min(best_ns, median(each));
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      const double middle_ns = median(durations_ns[i]);
      const Interval interval = median_interval(durations_ns[i]);
      const double bandwidth = cell.bytes() / middle_ns * 1e9;
      std::vector<std::string> row = {
          format_bytes(cell.size_bytes), strategies[i], format_duration(middle_ns),
          fmt::format("{} to {}", format_duration(interval.low), format_duration(interval.high)),
          format_bandwidth(bandwidth)};
      if (many_) row.push_back(fmt::format("{:+.1f} %", 100 * (middle_ns / best_ns - 1)));
      table_.add(std::move(row));
      report_.records.rows.push_back({pattern, strategies[i], cell.size_bytes,
                                      std::uint64_t{cell.segments}, std::uint64_t{cell.at_once},
                                      middle_ns, interval.low, interval.high, bandwidth});
      cells_.push_back(json::Value::object()
                           .set("strategy", strategies[i])
                           .set("size_bytes", cell.size_bytes)
                           .set("latency_ns", middle_ns)
                           .set("low_ns", interval.low)
                           .set("high_ns", interval.high)
                           .set("bandwidth_bytes_per_second", bandwidth));
    }
  }

  Report take(const Cell& cell, const std::string& pattern, const std::vector<std::string>& rails) {
    json::Value names = json::Value::array();
    for (const std::string& rail : rails) names.push_back(rail);
    report_.text.heading(fmt::format("{}, {} at once, {} segments, over {}", pattern, cell.at_once,
                                     cell.segments, fmt::join(rails, ", ")));
    report_.text.table(std::move(table_));
    report_.summary = {{"cells", std::to_string(report_.records.rows.size())}};
    report_.payload.set("pattern", pattern)
        .set("at_once", std::uint64_t{cell.at_once})
        .set("segments", std::uint64_t{cell.segments})
        .set("rails", std::move(names))
        .set("cells", std::move(cells_));
    return std::move(report_);
  }

 private:
  std::vector<std::string> headings() const {
    std::vector<std::string> all = {">size", "strategy", ">duration", ">95 % interval",
                                    ">bandwidth"};
    if (many_) all.push_back(">behind the best");
    return all;
  }

  bool many_;
  Table table_;
  Report report_;
  json::Value cells_ = json::Value::array();
};

std::vector<std::string> strategies_of(const BenchOptions& options) {
  const std::vector<std::string> several = split_list(options.compare);
  return several.empty() ? std::vector{options.strategy} : several;
}

}  // namespace

void declare(Options& options, BenchOptions& target) {
  options.text("--rails", target.rails, "RAIL,...",
               "over which rails (all that are usable)\nAs nmad-sample --list names them; a rail "
               "named twice gets two links.");
  options.text(
      "--strategy", target.strategy, "NAME",
      fmt::format("how to use them (adaptive)\nOne of {}.", fmt::join(strategy_names(), ", ")));
  options.text("--compare", target.compare, "NAME,...", "several strategies, side by side")
      .excludes("--strategy");
  options.choice("--pattern", target.pattern, {"ping-pong", "stream"},
                 "messages there and back, or one way (ping-pong)");
  options.sizes("--sizes", target.sizes_bytes, "of which bytes the messages (1 to 16M)");
  options.count("--segments", target.segments, "in how many parts a message lies in memory (1)");
  options.count("--at-once", target.at_once,
                "flows of a ping-pong (1), or messages under way of a stream (16)");
  options.count("--rounds", target.rounds, "repetitions of each cell (15)");
  options.duration_ns("--repetition", target.repetition_ns, {1e3, 1e10},
                      "how long one repetition is at least (5ms)");
  options.text("--db", target.db, "FILE", "the profile to decide by (as nmad-tune finds it)");
  options.flag("--no-profile", target.no_profile, "decide without a profile").excludes("--db");
  options.example("nmad-bench --compare single:shm,greedy,adaptive --sizes 64K,1M,16M");
}

Report bench(const BenchOptions& options, const Invocation& invocation) {
  const std::vector<std::unique_ptr<Driver>> drivers = make_drivers();
  const OpenedProfile profile = open_profile(options, invocation);
  Cell cell;
  cell.pattern = options.pattern == "stream" ? Pattern::kStream : Pattern::kPingPong;
  const std::uint64_t at_once = cell.pattern == Pattern::kStream ? kStreamWindow : 1;
  cell.at_once = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(options.at_once.value_or(at_once), 1, 1024));
  cell.segments =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(options.segments.value_or(1), 1, 1024));
  std::vector<std::uint64_t> sizes_bytes = options.sizes_bytes;
  if (sizes_bytes.empty()) sizes_bytes.assign(std::begin(kSizesBytes), std::end(kSizesBytes));
  DuoOptions wanted{.strategies = strategies_of(options),
                    .rails = choose(options.rails, drivers),
                    .profile = profile.get(),
                    .size_bytes_max = *std::ranges::max_element(sizes_bytes),
                    .at_once_max = cell.at_once};
  if (wanted.size_bytes_max > kSizeBytesMax) {
    throw Error(Fault::kUsage, "--sizes: at most " + format_bytes(kSizeBytesMax));
  }
  std::vector<std::string> rails;
  for (const RailInUse& rail : wanted.rails) rails.push_back(rail.rail.full_name());
  Duo duo(wanted);
  BenchReport report(wanted.strategies.size());
  std::mt19937_64 random(std::random_device{}());
  for (const std::uint64_t size_bytes : sizes_bytes) {
    cell.size_bytes = size_bytes;
    const auto durations_ns = measure(duo, cell, wanted.strategies.size(), options, random);
    report.add(cell, options.pattern, wanted.strategies, durations_ns);
  }
  return report.take(cell, options.pattern, rails);
}

}  // namespace nmt
