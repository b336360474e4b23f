// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/aggregation.h"

#include <algorithm>
#include <cmath>

namespace nmt::runtime {
namespace {

// The minimum over methods and variants, with sizes and durations scaled.
Curve best_of(const RailPlan& rail, std::string_view benchmark, double size_factor,
              double duration_factor) {
  Curve best;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark) continue;
    std::vector<Point> points;
    for (const Point& point : curve.duration.points()) {
      points.push_back({size_factor * point.size_bytes, duration_factor * point.duration_ns});
    }
    const Curve scaled(std::move(points));
    best = best.empty() ? scaled : lower_envelope(best, scaled);
  }
  return best;
}

std::vector<double> sizes_of(const Curve& curve, double end) {
  std::vector<double> sizes = {0};
  for (const Point& point : curve.points()) {
    if (point.size_bytes > 0 && point.size_bytes < end) sizes.push_back(point.size_bytes);
  }
  sizes.push_back(end);
  return sizes;
}

std::uint64_t twice(std::uint64_t size_bytes) {
  return size_bytes > UINT64_MAX / 2 ? UINT64_MAX : 2 * size_bytes;
}

// The plane of both sizes, divided by the lines on which a curve bends: a = k, b = k, a + b = g.
// The gain of aggregating is linear inside each cell, so its sign within a cell follows from the
// corners. A corner therefore decides only about sums in its neighbouring cells.
class Plane {
 public:
  Plane(const AggregationCurves& curves, double end)
      : curves_(curves),
        sizes_(sizes_of(curves.one_of_two, end)),
        sums_(sizes_of(curves.together, end)),
        end_(end) {}

  SettledSums settled() {
    for (std::size_t i = 0; i + 1 < sizes_.size(); ++i) {
      for (std::size_t j = i; j + 1 < sizes_.size(); ++j) corner(sizes_[i], sizes_[j]);
      for (const double sum : sums_) {
        if (sum - sizes_[i] >= sizes_[i]) corner(sizes_[i], sum - sizes_[i]);
      }
    }
    return {static_cast<std::uint64_t>(below_), static_cast<std::uint64_t>(std::ceil(from_))};
  }

 private:
  static double before(const std::vector<double>& lines, double position) {
    const auto at = std::lower_bound(lines.begin(), lines.end(), position);
    return at == lines.begin() ? 0 : *std::prev(at);
  }
  double after(const std::vector<double>& lines, double position) const {
    const auto at = std::upper_bound(lines.begin(), lines.end(), position);
    return at == lines.end() ? end_ : *at;
  }

  void corner(double a, double b) {
    const double sum = a + b;
    if (sum > end_) return;
    const double apart_ns = curves_.one_of_two.at(a) + curves_.one_of_two.at(b);
    if (curves_.together.at(sum) < apart_ns) {
      const double reach = std::min(after(sizes_, a) + after(sizes_, b), after(sums_, sum));
      from_ = std::max(from_, std::min(reach, end_));
    } else {
      const double reach = std::max(before(sizes_, a) + before(sizes_, b), before(sums_, sum));
      below_ = std::min(below_, reach);
    }
  }

  const AggregationCurves& curves_;
  std::vector<double> sizes_;  // ascending, from 0 to end_
  std::vector<double> sums_;
  double end_;
  double below_ = end_;
  double from_ = 0;
};

}  // namespace

AggregationCurves aggregation_curves(const RailPlan& rail) {
  return {best_of(rail, benchmark::kTwoPackets, 1, 0.5),
          best_of(rail, benchmark::kAggregate, 2, 1)};
}

std::optional<std::uint64_t> eager_end(const RailPlan& rail) {
  for (const MethodRange& range : method_ranges(rail)) {
    if (range.method == Method::kRendezvous) return range.from_bytes;
  }
  return std::nullopt;
}

SettledSums settled_sums(const RailPlan& rail, const AggregationCurves& curves) {
  const Threshold* threshold = rail.find_threshold(DecisionKind::kAggregation);
  if (threshold == nullptr) return {};
  const std::optional<std::uint64_t> end = eager_end(rail);
  SettledSums settled;
  if (curves.together.empty() || curves.one_of_two.empty()) {
    settled = {UINT64_MAX, 0};  // the threshold decides, by the mean size
  } else if (end) {
    settled = Plane(curves, static_cast<double>(*end)).settled();
  } else {
    return {};  // without an upper bound, the curves are always used
  }
  for (const Range& range : threshold->ranges) {
    const bool together = range.choice == choices(DecisionKind::kAggregation).below;
    if (!together) settled.below = std::min(settled.below, twice(range.from_bytes));
    if (together && !range.to_bytes) settled.from = UINT64_MAX;
    if (together && range.to_bytes) settled.from = std::max(settled.from, twice(*range.to_bytes));
  }
  if (end) settled.from = std::min(settled.from, *end);
  settled.below = std::min(settled.below, settled.from);
  return settled;
}

void set_aggregation(const RailPlan& rail, PathTables& tables) {
  const AggregationCurves curves = aggregation_curves(rail);
  const SettledSums settled = settled_sums(rail, curves);
  tables.block.aggregate_below = settled.below;
  tables.block.separate_from = settled.from;
  if (rail.find_threshold(DecisionKind::kAggregation) == nullptr) return;
  if (curves.together.empty() || curves.one_of_two.empty()) return;
  tables.aggregation.emplace();
  tables.aggregation->one_of_two = make_size_table<EagerSizeTable>(
      [&](double tolerance) { return pieces(curves.one_of_two, tolerance); });
  tables.aggregation->together = make_size_table<EagerSizeTable>(
      [&](double tolerance) { return pieces(curves.together, tolerance); });
}

}  // namespace nmt::runtime
