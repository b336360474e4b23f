// SPDX-License-Identifier: BSD-3-Clause
#include "core/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/interpolate.h"

namespace nmt {
namespace {

double slope(const Point& a, const Point& b) {
  return (b.duration_ns - a.duration_ns) / (b.size_bytes - a.size_bytes);
}

// Sizes at which either curve bends, in order.
std::vector<double> bends(const Curve& a, const Curve& b) {
  std::vector<double> sizes;
  for (const Point& point : a.points()) sizes.push_back(point.size_bytes);
  for (const Point& point : b.points()) sizes.push_back(point.size_bytes);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// The curve through `duration` at `sizes`, which are all of its bends. The last piece must also
// have the slope beyond it; if it does not, one point further out is added.
template <class Function>
Curve through(std::span<const double> sizes, Function duration) {
  std::vector<Point> points;
  for (const double size : sizes) points.push_back({size, duration(size)});
  const double far = 2 * points.back().size_bytes + 1;
  const double far_ns = duration(far);
  const double difference = std::abs(Curve(points).at(far) - far_ns);
  constexpr double kRounding = 1e-12;
  if (difference > kRounding * far_ns) points.push_back({far, far_ns});
  return Curve(std::move(points));
}

}  // namespace

Curve::Curve(std::vector<Point> points) : points_(std::move(points)) {
  if (points_.empty()) throw Error(Fault::kFailed, "a curve needs at least one point");
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    const char* problem = nullptr;
    if (!std::isfinite(point.size_bytes) || point.size_bytes < 0) {
      problem = "its size is negative or not finite";
    } else if (!std::isfinite(point.duration_ns) || point.duration_ns < 0) {
      problem = "its duration is negative or not finite";
    } else if (i > 0 && point.size_bytes <= points_[i - 1].size_bytes) {
      problem = "its size is not above that of the point before";
    }
    if (problem != nullptr) {
      throw Error(Fault::kFailed, fmt::format("point {} of a curve ({} B, {} ns): {}", i,
                                              point.size_bytes, point.duration_ns, problem));
    }
  }
}

double Curve::at(double size_bytes) const {
  NMT_CHECK(!points_.empty());
  return interpolate(std::span<const Point>(points_), size_bytes, &Point::duration_ns);
}

double Curve::slope_beyond() const {
  if (points_.size() < 2) return 0;
  return std::max(0.0, slope(points_[points_.size() - 2], points_.back()));
}

bool Curve::is_monotone() const {
  return std::is_sorted(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return a.duration_ns < b.duration_ns;
  });
}

double Curve::inverse(double duration_ns) const {
  NMT_CHECK(!points_.empty() && is_monotone());
  const auto above = std::upper_bound(
      points_.begin(), points_.end(), duration_ns,
      [](double duration, const Point& point) { return duration < point.duration_ns; });
  if (above == points_.begin()) return 0;
  const Point& below = *std::prev(above);
  const double rise = above == points_.end() ? slope_beyond() : slope(below, *above);
  if (rise == 0) return std::numeric_limits<double>::infinity();
  return below.size_bytes + (duration_ns - below.duration_ns) / rise;
}

Curve Curve::monotone(std::span<const double> weights) const {
  NMT_CHECK(weights.empty() || weights.size() == points_.size());
  struct Pool {
    double weight;
    double mean_ns;
    std::size_t points;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    pools.push_back({weights.empty() ? 1 : weights[i], points_[i].duration_ns, 1});
    NMT_CHECK(pools.back().weight > 0);
    while (pools.size() > 1 && pools[pools.size() - 2].mean_ns > pools.back().mean_ns) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& into = pools.back();
      const double weight = into.weight + last.weight;
      into.mean_ns = (into.weight * into.mean_ns + last.weight * last.mean_ns) / weight;
      into.weight = weight;
      into.points += last.points;
    }
  }
  Curve result = *this;
  auto point = result.points_.begin();
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.points; ++i) (point++)->duration_ns = pool.mean_ns;
  }
  return result;
}

double Curve::departure(const Curve& other) const {
  double largest = 0;
  for (const Point& point : points_) {
    const double difference = std::abs(other.at(point.size_bytes) - point.duration_ns);
    if (difference > 0) largest = std::max(largest, difference / point.duration_ns);
  }
  return largest;
}

Curve lower_envelope(const Curve& a, const Curve& b) {
  std::vector<double> sizes = bends(a, b);
  // Beyond the last bend both curves are straight, so they cross at most once more.
  const double last = sizes.back();
  const double tail = last + (a.at(last) - b.at(last)) / (b.slope_beyond() - a.slope_beyond());
  const double far = 2 * (std::isfinite(tail) && tail > last ? tail : last) + 1;
  const std::vector<double> crossed = crossings(a, b, 0, far);
  sizes.insert(sizes.end(), crossed.begin(), crossed.end());
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return through(sizes, [&](double size) { return std::min(a.at(size), b.at(size)); });
}

Curve sum(const Curve& a, const Curve& b) {
  return through(bends(a, b), [&](double size) { return a.at(size) + b.at(size); });
}

std::vector<double> crossings(const Curve& a, const Curve& b, double from_bytes, double to_bytes) {
  NMT_CHECK(from_bytes <= to_bytes && std::isfinite(to_bytes));
  std::vector<double> sizes = {from_bytes};
  for (const double size : bends(a, b)) {
    if (size > from_bytes && size < to_bytes) sizes.push_back(size);
  }
  sizes.push_back(to_bytes);

  std::vector<double> found;
  double sign_size = 0;    // last size where the difference was not zero
  double sign_value = 0;   // the difference there; 0: no such size yet
  double equal_since = 0;  // first size after that where both are equal
  bool equal = false;
  for (const double size : sizes) {
    const double value = a.at(size) - b.at(size);
    if (value == 0) {
      if (!equal) equal_since = size;
      equal = true;
      continue;
    }
    if (sign_value != 0 && (value < 0) != (sign_value < 0)) {
      const double part = sign_value / (sign_value - value);
      found.push_back(equal ? equal_since : sign_size + part * (size - sign_size));
    }
    sign_size = size;
    sign_value = value;
    equal = false;
  }
  return found;
}

}  // namespace nmt
