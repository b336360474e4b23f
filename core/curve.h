// SPDX-License-Identifier: BSD-3-Clause
//
// Predicted duration of one transfer method in nanoseconds, by message size in bytes: a line
// between each two samples.
//
// A Curve is a value and has an answer for every size: the first value below the first point, and
// the slope of the last piece beyond the last point (never below 0; a single point is constant).
// Any thread may read it. Interpolation after paper "sampling-based auto-tuning", III-A; operations
// on pieces after UCX's piecewise functions.
#pragma once

#include <span>
#include <vector>

namespace nmt {

struct Point {
  double size_bytes = 0;
  double duration_ns = 0;
  bool operator==(const Point&) const = default;
};

class Curve {
 public:
  Curve() = default;
  // Takes at least one point; sizes increase strictly and are >= 0, durations are finite and >= 0.
  // Throws Error(kFailed) that names the first point that breaks this.
  explicit Curve(std::vector<Point> points);

  double at(double size_bytes) const;  // NMT_CHECKs that the curve has a point
  bool empty() const { return points_.empty(); }
  std::span<const Point> points() const { return points_; }
  double slope_beyond() const;  // ns per byte beyond the last point, >= 0
  bool is_monotone() const;

  // The most bytes that finish within `duration_ns`: 0 if even the smallest message takes longer,
  // infinity if the curve never rises above it. The curve must be monotone.
  double inverse(double duration_ns) const;

  // The nearest non-decreasing curve, by weighted isotonic regression (pool adjacent violators) of
  // the points. One weight per point; no weights: all points weigh the same.
  Curve monotone(std::span<const double> weights = {}) const;

  // Largest relative difference |other/this - 1| over this curve's points.
  double departure(const Curve& other) const;

  bool operator==(const Curve&) const = default;

 private:
  std::vector<Point> points_;
};

// min(a, b) at every size, with the crossings as points: the lower envelope.
Curve lower_envelope(const Curve& a, const Curve& b);
Curve sum(const Curve& a, const Curve& b);

// Sizes in (from, to) at which a - b changes sign, in order, by linear interpolation. A range where
// both are equal counts once, at its start, and only if the sign differs on its two sides.
std::vector<double> crossings(const Curve& a, const Curve& b, double from_bytes, double to_bytes);

}  // namespace nmt
