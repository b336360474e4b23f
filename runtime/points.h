// SPDX-License-Identifier: BSD-3-Clause
//
// A measured curve as it lies in a snapshot, read as core/curve.h reads one: a line between two
// points, the first value before them, the last slope beyond them, never downwards.
#pragma once

#include <algorithm>
#include <span>

#include "runtime/layout.h"

namespace nmt {

inline double interpolate(std::span<const PointRecord> points, double size_bytes,
                          double PointRecord::*duration) {
  const auto above = std::upper_bound(
      points.begin(), points.end(), size_bytes,
      [](double size, const PointRecord& point) { return size < point.size_bytes; });
  if (above == points.begin() || points.size() < 2) return points.front().*duration;
  const bool beyond = above == points.end();
  const PointRecord* to = &*std::prev(above) + (beyond ? 0 : 1);
  const PointRecord* from = to - 1;
  double slope = (to->*duration - from->*duration) / (to->size_bytes - from->size_bytes);
  if (beyond) slope = std::max(0.0, slope);
  const PointRecord* near = beyond ? to : from;
  return near->*duration + (size_bytes - near->size_bytes) * slope;
}

}  // namespace nmt
