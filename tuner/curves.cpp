// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/curves.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace nmt::tuner {
namespace {

// Normal distribution: standard deviation / MAD; standard error of a median / (sd / sqrt(n)).
constexpr double kMadToDeviation = 1.4826;
constexpr double kMedianError = 1.2533;

constexpr std::size_t kEnough = 6;  // repetitions whose order statistics cover 95 %

// 95 % limits of the median, by order statistics. With few repetitions, which may agree by chance,
// the spread of the curve's other sizes is used.
Interval limits(const std::vector<double>& durations, double spread) {
  if (durations.size() >= kEnough) return median_interval(durations);
  const double middle = median(durations);
  const double error =
      kMedianError * kMadToDeviation * spread / std::sqrt(static_cast<double>(durations.size()));
  const double half_width = std::min(1.0, 1.96 * error);
  return {middle * (1 - half_width), middle * (1 + half_width)};
}

// From the sizes with enough repetitions, else from all.
double typical_spread(const CellsBySize& cells) {
  std::vector<double> spreads, spreads_of_enough;
  for (const auto& [size_bytes, rounds] : cells) {
    const std::vector<double> durations = all_durations(rounds);
    spreads.push_back(median_absolute_deviation(durations) / median(durations));
    if (durations.size() >= kEnough) spreads_of_enough.push_back(spreads.back());
  }
  return median(spreads_of_enough.empty() ? spreads : spreads_of_enough);
}

PlanCurve make_curve(const CurveKey& key, const CellsBySize& cells) {
  const double spread = typical_spread(cells);
  std::vector<Point> points, low, high;
  std::vector<double> weights;
  for (const auto& [size_bytes, rounds] : cells) {
    const std::vector<double> durations = all_durations(rounds);
    const double size = static_cast<double>(size_bytes);
    const double duration_ns = median(durations);
    const Interval interval = limits(durations, spread);
    points.push_back({size, duration_ns});
    low.push_back({size, interval.low});
    high.push_back({size, interval.high});
    constexpr double kFinest = 1e-4;  // limit: no measurement is more precise
    const double width = std::max(interval.high - interval.low, kFinest * duration_ns);
    weights.push_back(1 / (width * width));
  }
  PlanCurve curve{.benchmark = key.benchmark,
                  .method = key.method,
                  .variant = key.variant,
                  .duration = Curve(points),
                  .low = Curve(low),
                  .high = Curve(high),
                  .spread = spread};
  curve.monotone_departure = curve.duration.departure(curve.duration.monotone(weights));
  return curve;
}

}  // namespace

std::vector<PlanCurve> make_curves(const Cells& cells) {
  std::vector<PlanCurve> curves;
  for (const auto& [key, by_size] : cells) curves.push_back(make_curve(key, by_size));
  return curves;
}

}  // namespace nmt::tuner
