// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/contended_curves.h"

#include <algorithm>
#include <vector>

namespace nmt::runtime {
namespace {

Curve completed(const Curve& contended, const Curve& alone) {
  const Point first = contended.points().front(), last = contended.points().back();
  const auto factor = [&](const Point& at) {
    const double alone_ns = alone.at(at.size_bytes);
    return alone_ns > 0 ? at.duration_ns / alone_ns : 1;
  };
  std::vector<Point> points;
  for (const Point& point : alone.points()) {
    if (point.size_bytes < first.size_bytes) {
      points.push_back({point.size_bytes, point.duration_ns * factor(first)});
    }
  }
  points.insert(points.end(), contended.points().begin(), contended.points().end());
  for (const Point& point : alone.points()) {
    if (point.size_bytes > last.size_bytes) {
      points.push_back({point.size_bytes, point.duration_ns * factor(last)});
    }
  }
  return Curve(std::move(points));
}

}  // namespace

RailPlan completed(RailPlan contended, const RailPlan& alone) {
  for (PlanCurve& curve : contended.curves) {
    const auto same = std::ranges::find_if(alone.curves, [&](const PlanCurve& other) {
      return other.benchmark == curve.benchmark && other.method == curve.method &&
             other.variant == curve.variant;
    });
    if (same == alone.curves.end()) continue;
    curve.duration = completed(curve.duration, same->duration);
    curve.low = completed(curve.low, same->low);
    curve.high = completed(curve.high, same->high);
  }
  return contended;
}

}  // namespace nmt::runtime
