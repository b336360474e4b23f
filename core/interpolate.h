// SPDX-License-Identifier: BSD-3-Clause
//
// The value between measured points, of a curve or of a snapshot: a line between two points, the
// first value before them, and the last slope beyond them, but never downwards.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>

namespace nmt {

// `points` has at least one element; their `size_bytes` increases. Allocates nothing.
template <class Point>
double interpolate(std::span<const Point> points, double size_bytes, double Point::*duration) {
  const auto above =
      std::upper_bound(points.begin(), points.end(), size_bytes,
                       [](double size, const Point& point) { return size < point.size_bytes; });
  if (above == points.begin() || points.size() < 2) return points.front().*duration;
  const bool beyond = above == points.end();
  const Point* to = &*std::prev(above) + (beyond ? 0 : 1);
  const Point* from = to - 1;
  const Point* near = beyond ? to : from;
  const double past = size_bytes - near->size_bytes;
  if (past == 0) return near->*duration;
  double slope = (to->*duration - from->*duration) / (to->size_bytes - from->size_bytes);
  if (beyond) slope = std::max(0.0, slope);
  return near->*duration + past * slope;
}

}  // namespace nmt
