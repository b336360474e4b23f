// SPDX-License-Identifier: BSD-3-Clause
//
// The group "runtime": what decisions cost, beside what others' lookups cost in the same run. All
// repetitions of all benchmarks are shuffled, so that a drifting machine moves both sides of a
// ratio; a value is the median over repetitions. Parts: decisions, calls, opening; and cliffs,
// which times nothing, and computes for some seconds what splits lose on rails whose curves jump.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/parts.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "runtime/tables.h"
#include "tests/runtime/cliffs.h"

namespace nmt::bench {
namespace {

// Durations of each benchmark's repetitions in nanoseconds, and of its counters as "NAME COUNTER".
class Collector final : public ::benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      std::string name = run.run_name.function_name;
      if (!run.run_name.args.empty()) name += " " + run.run_name.args;
      values_[name].push_back(run.GetAdjustedRealTime());
      for (const auto& [counter, value] : run.counters) {
        values_[name + " " + counter].push_back(value);
      }
    }
  }
  double operator[](const std::string& name) const { return median(values_.at(name)); }

 private:
  std::map<std::string, std::vector<double>> values_;
};

void row(const std::string& name, double value, const std::string& unit, Goal goal = Goal::kNone,
         double limit = 0) {
  print_row("runtime", name, value, unit, goal, limit);
}
void at_most(const std::string& name, double value, const std::string& unit, double limit) {
  row(name, value, unit, Goal::kAtMost, limit);
}
void at_least(const std::string& name, double value, double limit) {
  row(name, value, "times", Goal::kAtLeast, limit);
}

void print_decisions(const Collector& measured) {
  const double method_ns = measured["method"];
  row("loop of a chain, in all of the following", measured["chain"], "ns");
  at_most("method for a size", method_ns, "ns", 6);
  at_most("method in the caller's code", measured["method inline"], "ns", 2);
  row("method in the caller's code, three ranges", measured["method inline of three ranges"], "ns");
  row("UCX-shaped range scan", measured["ucx"], "ns");
  row("UCX-shaped range scan, three ranges", measured["ucx of three ranges"], "ns");
  row("NCCL-shaped arg-min", measured["nccl"], "ns");
  row("prepared SQLite query", measured["sql"], "ns");
  at_least("method: faster than the UCX-shaped range scan", measured["ucx"] / method_ns, 2.5);
  row("method: faster than the UCX-shaped range scan, three ranges",
      measured["ucx of three ranges"] / method_ns, "times");
  at_least("method in the caller's code: faster than the UCX-shaped range scan",
           measured["ucx"] / measured["method inline"], 2.5);
  at_least("method in the caller's code: faster than the UCX-shaped range scan, three ranges",
           measured["ucx of three ranges"] / measured["method inline of three ranges"], 2.5);
  at_least("method: faster than the NCCL-shaped arg-min", measured["nccl"] / method_ns, 6);
  at_least("method: faster than the prepared SQLite query", measured["sql"] / method_ns, 60);
  at_most("predicted duration", measured["duration"], "ns", 10);
  at_most("aggregate or not", measured["aggregate"], "ns", 6);
  at_most("split over 2 idle rails", measured["split"], "ns", 12);
  row("a communicator's rule of 12", measured["collective rule 0"], "ns");
  at_most("a communicator's rule of 3000: more than of 12",
          measured["collective rule 25"] - measured["collective rule 0"], "ns", 100);
}

void print_single_calls(const Collector& measured) {
  at_most("split over 2 busy rails, median", measured["solver 2 median"], "ns", 80);
  at_most("split over 2 busy rails, p99", measured["solver 2 p99"], "ns", 120);
  at_most("split over 4 busy rails, median", measured["solver 4 median"], "ns", 150);
  at_most("split over 4 busy rails, p99", measured["solver 4 p99"], "ns", 300);
  row("split over 8 busy rails, p99", measured["solver 8 p99"], "ns");
  at_most("first call with all caches cold, median", measured["cold 0 median"], "ns", 300);
  row("the same, and no address translated yet", measured["cold 1 median"], "ns");
}

// What a decision may touch, by the sizes of the tables; a line of the profile itself beside it.
void print_hot_data() {
  constexpr double kLimit = 2048;
  constexpr double kPathHead = offsetof(runtime::PathBlock, duration);
  at_most("hot data per rail: decisions about one rail, the solver",
          double{sizeof(runtime::PathBlock)}, "B", kLimit);
  at_most("hot data per rail: split over 2 idle rails",
          sizeof(runtime::PairTable) / 2.0 + kPathHead, "B", kLimit);
  at_most("hot data per rail: aggregation that the curves settle",
          sizeof(runtime::AggregationTable) + kPathHead, "B", kLimit);
}

void print_opening(const Collector& measured) {
  constexpr double kNsPerMs = 1e6;
  at_most("opening a profile of 8 rails from the snapshot", measured["open snapshot"] / kNsPerMs,
          "ms", 1);
  at_most("opening a profile of 8 rails from SQLite", measured["open database"] / kNsPerMs, "ms",
          20);
}

void print_cliffs(const Collector&) {
  const planted::CliffLosses losses = planted::cliff_losses();
  at_most("splits on rails with cliffs, end over the best of all divisions, mean",
          100 * losses.mean, "%", 1);
  at_most("splits on rails with cliffs, end over the best of all divisions, worst",
          100 * losses.worst, "%", 5);
}

struct MeasuredPart {
  std::string_view name;
  const char* benchmarks;  // null: times none
  void (*print)(const Collector&);
};
constexpr MeasuredPart kParts[] = {
    {"decisions", "chain|method.*|duration|aggregate|split|collective.*|ucx.*|nccl|sql",
     print_decisions},
    {"calls", "solver.*|cold.*", print_single_calls},
    {"opening", "open .*", print_opening},
    {"cliffs", nullptr, print_cliffs}};

// Those named; all if none is.
std::vector<const MeasuredPart*> parts_named(std::span<char* const> names) {
  std::vector<const MeasuredPart*> parts;
  for (const MeasuredPart& part : kParts) {
    const bool named = std::ranges::find(names, part.name) != names.end();
    if (names.empty() || named) parts.push_back(&part);
  }
  return parts;
}

}  // namespace
}  // namespace nmt::bench

int main(int argc, char** argv) {
  const std::span<char* const> asked = nmt::bench::part_names(argc, argv);
  if (!nmt::bench::are_parts(asked, "runtime", nmt::bench::kParts)) return nmt::bench::kNoSuchPart;
  const std::vector<const nmt::bench::MeasuredPart*> parts = nmt::bench::parts_named(asked);
  std::string benchmarks;
  for (const nmt::bench::MeasuredPart* part : parts) {
    if (part->benchmarks == nullptr) continue;
    benchmarks += (benchmarks.empty() ? "" : "|") + std::string(part->benchmarks);
  }
  std::string filter = "--benchmark_filter=^(" + benchmarks + ")(/|$)";
  char repetitions[] = "--benchmark_repetitions=9";
  char shuffled[] = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {argv[0], repetitions, shuffled, filter.data()};
  int count = static_cast<int>(std::size(arguments));
  ::benchmark::Initialize(&count, arguments);
  nmt::bench::Collector collector;
  if (!benchmarks.empty()) ::benchmark::RunSpecifiedBenchmarks(&collector);
  for (const nmt::bench::MeasuredPart* part : parts) part->print(collector);
  nmt::bench::print_hot_data();
}
