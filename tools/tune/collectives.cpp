// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune collectives: the algorithm and segment of each hierarchical operation by size, and the
// loss of that choice against the fastest measured one (paper "HierKNEM", Table 1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/plan_json.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/predict_collectives.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

std::string range_of(const SegmentRule& rule) {
  return fmt::format("[{}, {})", format_bytes(rule.from_bytes),
                     rule.to_bytes ? format_bytes(*rule.to_bytes) : "...");
}

bool covers(const SegmentRule& rule, const tuner::CollectiveCell& cell) {
  return rule.mpi == cell.mpi && rule.operation == cell.operation && rule.nodes == cell.nodes &&
         rule.ranks_per_node == cell.ranks_per_node && rule.covers(cell.size_bytes);
}

// The fastest of the MPI's own and the fastest of ours; 0: not measured.
struct Fastest {
  double library_ns = 0;
  double ours_ns = 0;
};
Fastest fastest_of(const tuner::CollectiveCell& cell) {
  Fastest fastest;
  for (const tuner::CollectiveTime& time : cell.times) {
    double& each_ns = time.algorithm == kLibraryAlgorithm ? fastest.library_ns : fastest.ours_ns;
    if (each_ns == 0) each_ns = time.median_ns;
  }
  return fastest;
}

// Ratio of the MPI's own to ours over the sizes of a rule: the geometric mean.
std::optional<double> speedup(const SegmentRule& rule,
                              const std::vector<tuner::CollectiveCell>& cells) {
  double sum = 0;
  int count = 0;
  for (const tuner::CollectiveCell& cell : cells) {
    const Fastest fastest = fastest_of(cell);
    if (!covers(rule, cell) || fastest.library_ns == 0 || fastest.ours_ns == 0) continue;
    sum += std::log(fastest.library_ns / fastest.ours_ns);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

struct Regrets {
  double sum = 0;
  double worst = 0;
  int count = 0;
  void add(double each) {
    sum += each;
    worst = std::max(worst, each);
    ++count;
  }
  double mean() const { return count == 0 ? 0 : sum / count; }
};

Regrets regrets_of(const std::vector<SegmentRule>& rules, const SegmentRule& rule,
                   const std::vector<tuner::CollectiveCell>& cells) {
  Regrets regrets;
  for (const tuner::CollectiveCell& cell : cells) {
    if (!covers(rule, cell)) continue;
    if (const std::optional<double> each = tuner::regret(rules, cell)) regrets.add(*each);
  }
  return regrets;
}

tuner::CollectiveShape shape_from(const std::optional<std::uint64_t>& nodes,
                                  const std::optional<std::uint64_t>& ranks_per_node) {
  constexpr std::uint64_t kMost = 1 << 20;  // of either
  if (!nodes || !ranks_per_node) {
    throw Error(Fault::kUsage, "--nodes and --per-node: give both; --nodes 64 --per-node 32");
  }
  if (*nodes < 1 || *nodes > kMost) {
    throw Error(Fault::kUsage, fmt::format("--nodes: 1 to {}; got {}", kMost, *nodes));
  }
  if (*ranks_per_node < 1 || *ranks_per_node > kMost) {
    throw Error(Fault::kUsage, fmt::format("--per-node: 1 to {}; got {}", kMost, *ranks_per_node));
  }
  return {static_cast<std::int64_t>(*nodes), static_cast<std::int64_t>(*ranks_per_node)};
}

}  // namespace

Report show_collectives(const OpenProfile& profile, const Plan& plan,
                        const std::vector<SampleSet>& sets) {
  if (plan.segments.empty()) {
    throw Error(Fault::kFailed,
                "the profile has no collectives; measure them with mpirun ... nmad-sample --parts "
                "collectives");
  }
  const std::vector<tuner::CollectiveCell> cells = tuner::collective_cells(sets);
  Report report;
  report.records.header = {"operation", "nodes",       "ranks_per_node", "from_bytes",
                           "to_bytes",  "algorithm",   "segment_bytes",  "leaders",
                           "speedup",   "regret_mean", "regret_worst",   "mpi"};
  Table table({"operation", ">nodes", ">per node", "sizes", "algorithm", ">segment", ">leaders",
               ">library / ours", ">regret", ">worst", "under"});
  json::Value rules = json::Value::array();
  Regrets all;
  std::size_t predicted = 0;
  for (const SegmentRule& rule : plan.segments) {
    predicted += rule.is_predicted() ? 1 : 0;
    if (rule.is_predicted()) continue;
    const Regrets regrets = regrets_of(plan.segments, rule, cells);
    const std::optional<double> times = speedup(rule, cells);
    all.sum += regrets.sum;
    all.count += regrets.count;
    all.worst = std::max(all.worst, regrets.worst);
    table.add({rule.operation, std::to_string(rule.nodes), std::to_string(rule.ranks_per_node),
               range_of(rule), rule.algorithm,
               rule.segment_bytes == 0 ? "whole" : format_bytes(rule.segment_bytes),
               std::to_string(rule.leaders), times ? fmt::format("{:.2f}", *times) : "-",
               format_fraction(regrets.mean()), format_fraction(regrets.worst), rule.mpi});
    rules.push_back(to_json(rule)
                        .set("speedup", times ? json::Value(*times) : json::Value())
                        .set("regret_mean", regrets.mean())
                        .set("regret_worst", regrets.worst));
    report.records.rows.push_back({rule.operation, rule.nodes, rule.ranks_per_node, rule.from_bytes,
                                   rule.to_bytes ? json::Value(*rule.to_bytes) : json::Value(),
                                   rule.algorithm, rule.segment_bytes, rule.leaders,
                                   times ? json::Value(*times) : json::Value(), regrets.mean(),
                                   regrets.worst, rule.mpi});
  }
  report.text.heading(fmt::format("{}: collectives", profile.platform.name));
  report.text.table(std::move(table));
  report.payload.set("platform", platform_json(profile.platform)).set("rules", std::move(rules));
  report.summary = {{"rules", std::to_string(plan.segments.size() - predicted)},
                    {"predicted", std::to_string(predicted)},
                    {"regret_mean", fmt::format("{:.4f}", all.mean())},
                    {"regret_worst", fmt::format("{:.4f}", all.worst)}};
  return report;
}

Work declare_collectives(Options& options, const ProfileOptions& profile) {
  struct Asked {
    std::optional<std::uint64_t> nodes;
    std::optional<std::uint64_t> ranks_per_node;
  };
  const auto asked = std::make_shared<Asked>();
  options.count(
      "--nodes", asked->nodes,
      "number of nodes to print the choice for, sampled or predicted\n"
      "Prints what a program does for each operation and size, its duration and that of the "
      "MPI's own, with 95 % intervals (where fewer than six repetitions were sampled, "
      "from the shortest to the longest). Needs --per-node.");
  options.count("--per-node", asked->ranks_per_node, "ranks on each of the --nodes");
  options.example("nmad-tune collectives --nodes 64 --per-node 32");
  return [&profile, asked](const Invocation& invocation) {
    if (!asked->nodes && !asked->ranks_per_node) {
      const OpenProfile opened = open_to_read(profile, invocation);
      return show_collectives(opened, read_plan(opened, invocation),
                              opened.db.sample_sets_in_force(opened.platform.id));
    }
    return predict_collectives(shape_from(asked->nodes, asked->ranks_per_node), profile,
                               invocation);
  };
}

}  // namespace nmt::tools
