// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/foreign_regret.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tuner/chosen_sides.h"
#include "tuner/shares.h"
#include "tuner/thresholds.h"

namespace nmt::tuner {
namespace {

// Shortest duration of a side at a size, from curves that have samples on both sides of it: a
// method that the sampler gave up must not win by extrapolation.
std::optional<double> side_ns(const RailPlan& rail, const Candidates& side, double size_bytes) {
  std::optional<double> least;
  for (const PlanCurve& curve : rail.curves) {
    if (!competes(curve.benchmark, curve.method, side)) continue;
    const std::span<const Point> points = curve.duration.points();
    if (size_bytes < points.front().size_bytes || size_bytes > points.back().size_bytes) continue;
    const double duration_ns = curve.duration.at(size_bytes);
    if (!least || duration_ns < *least) least = duration_ns;
  }
  return least;
}

std::vector<std::uint64_t> sampled_sizes(const RailPlan& rail, DecisionKind kind) {
  std::set<std::uint64_t> sizes;
  for (const Candidates& side : candidates(kind)) {
    for (const PlanCurve& curve : rail.curves) {
      if (!competes(curve.benchmark, curve.method, side)) continue;
      for (const Point& point : curve.duration.points()) {
        sizes.insert(static_cast<std::uint64_t>(point.size_bytes));
      }
    }
  }
  return {sizes.begin(), sizes.end()};
}

// log(above / below) at the sampled sizes where the choice is free.
std::map<std::uint64_t, double> log_ratios_of(const RailPlan& rail, DecisionKind kind) {
  std::map<std::uint64_t, double> log_ratios;
  const auto forced = forced_from(kind, rail.max_unexpected_bytes, rail.thresholds);
  for (const std::uint64_t size_bytes : sampled_sizes(rail, kind)) {
    if (forced && size_bytes >= *forced) break;
    const double size = static_cast<double>(size_bytes);
    const auto below_ns = side_ns(rail, candidates(kind)[0], size);
    const auto above_ns = side_ns(rail, candidates(kind)[1], size);
    if (below_ns && above_ns) log_ratios[size_bytes] = std::log(*above_ns / *below_ns);
  }
  return log_ratios;
}

std::optional<ForeignRegret> apply(const RailPlan& from, const RailPlan& on, DecisionKind kind) {
  const Threshold* threshold = from.find_threshold(kind);
  if (threshold == nullptr) return std::nullopt;
  const std::vector<RegretAt> regrets = regrets_at(on, *threshold);
  if (regrets.empty()) return std::nullopt;
  return ForeignRegret{summary_of(regrets), from.rail, on.rail, kind};
}

}  // namespace

std::vector<ForeignRegret> compare(std::span<const RailPlan> rails) {
  std::vector<ForeignRegret> table;
  for (const DecisionKind kind : kDecisions) {
    for (const RailPlan& from : rails) {
      for (const RailPlan& on : rails) {
        if (auto entry = apply(from, on, kind)) table.push_back(std::move(*entry));
      }
    }
  }
  return table;
}

std::vector<RegretAt> regrets_at(const RailPlan& on, const Threshold& threshold) {
  std::vector<RegretAt> regrets;
  for (const auto& [size_bytes, log_ratio] : log_ratios_of(on, threshold.kind)) {
    const bool above = threshold.choice_at(size_bytes) == choices(threshold.kind).above;
    regrets.push_back({size_bytes, regret(log_ratio, above)});
  }
  return regrets;
}

RegretSummary summary_of(std::span<const RegretAt> regrets) {
  std::vector<std::uint64_t> sizes_bytes;
  for (const RegretAt& each : regrets) sizes_bytes.push_back(each.size_bytes);
  const std::vector<double> shares = shares_of(sizes_bytes);
  RegretSummary summary;
  for (std::size_t i = 0; i < regrets.size(); ++i) {
    summary.mean += shares[i] * regrets[i].regret;
    if (regrets[i].regret <= summary.worst) continue;
    summary.worst = regrets[i].regret;
    summary.worst_size_bytes = regrets[i].size_bytes;
  }
  return summary;
}

Threshold threshold_at(DecisionKind kind, std::uint64_t bytes) {
  const Choices names = choices(kind);
  return {.kind = kind,
          .answer = Answer::kThreshold,
          .bytes = bytes,
          .low_bytes = bytes,
          .high_bytes = bytes,
          .ranges = {{0, bytes, std::string(names.below)},
                     {bytes, std::nullopt, std::string(names.above)}}};
}

}  // namespace nmt::tuner
