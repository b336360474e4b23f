// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/transfer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"

namespace nmt::runtime {
namespace {

bool chooses_above(const RailPlan& rail, DecisionKind kind, std::uint64_t size_bytes) {
  const Threshold* threshold = rail.find_threshold(kind);
  return threshold != nullptr && threshold->choice_at(size_bytes) == choices(kind).above;
}

std::vector<Method> measured_methods(const RailPlan& rail) {
  std::vector<Method> methods;
  for (const Method method : kMethods) {
    if (rail.find_curve(benchmark::kTransfer, to_string(method))) methods.push_back(method);
  }
  return methods;
}

// Width of the 95 % interval of the chosen method's duration, relative to it.
double relative_width(const RailPlan& rail, std::optional<Method> method, double size_bytes) {
  constexpr double kFinest = 1e-4;  // limit: no measurement is more precise
  const PlanCurve* curve =
      method ? rail.find_curve(benchmark::kTransfer, to_string(*method)) : nullptr;
  if (curve == nullptr || curve->low.empty() || curve->high.empty()) return kFinest;
  const double width = curve->high.at(size_bytes) - curve->low.at(size_bytes);
  return std::max(kFinest, width / curve->duration.at(size_bytes));
}

// Appends the pieces of `curve` from `from` up to `to`; nullopt: without end.
void append_pieces(std::vector<Piece>& all, const Curve& curve, std::uint64_t from,
                   std::optional<std::uint64_t> to) {
  const auto begin = static_cast<double>(from);
  std::vector<double> sizes = {begin};
  for (const Point& point : curve.points()) {
    const double size = std::ceil(point.size_bytes);
    const bool inside = size > sizes.back() && size < 0x1p63;
    if (inside && (!to || size < static_cast<double>(*to))) sizes.push_back(size);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double duration_ns = curve.at(sizes[i]);
    double next = 2 * sizes[i] + 1;  // beyond the last point any size gives the slope
    if (i + 1 < sizes.size()) {
      next = sizes[i + 1];
    } else if (to) {
      next = static_cast<double>(*to);
    }
    all.push_back({static_cast<std::uint64_t>(sizes[i]), duration_ns,
                   (curve.at(next) - duration_ns) / (next - sizes[i])});
  }
}

double value(const Piece& piece, std::uint64_t size_bytes) {
  return piece.duration_ns + static_cast<double>(size_bytes - piece.from_bytes) * piece.ns_per_byte;
}

bool jumps(const Piece& piece, const Piece& next) {
  constexpr double kRounding = 1e-9;
  const double end_ns = value(piece, next.from_bytes);
  return std::abs(end_ns - next.duration_ns) > kRounding * std::abs(next.duration_ns);
}

}  // namespace

std::vector<MethodRange> method_ranges(const RailPlan& rail) {
  std::set<std::uint64_t> changes = {0};
  for (const DecisionKind kind : {DecisionKind::kIovec, DecisionKind::kRendezvous}) {
    const Threshold* threshold = rail.find_threshold(kind);
    if (threshold == nullptr) continue;
    for (const Range& range : threshold->ranges) changes.insert(range.from_bytes);
  }
  const std::vector<Method> measured = measured_methods(rail);
  std::vector<MethodRange> ranges;
  for (const std::uint64_t from : changes) {
    std::optional<Method> method = Method::kCopy;
    if (chooses_above(rail, DecisionKind::kIovec, from)) method = Method::kIovec;
    if (chooses_above(rail, DecisionKind::kRendezvous, from)) method = Method::kRendezvous;
    if (std::find(measured.begin(), measured.end(), *method) == measured.end()) {
      method = measured.size() == 1 ? std::optional(measured[0]) : std::nullopt;
    }
    if (ranges.empty() || ranges.back().method != method) ranges.push_back({from, method});
  }
  return ranges;
}

Curve transfer_curve(const RailPlan& rail, Method method) {
  Curve best;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark::kTransfer || curve.method != to_string(method)) continue;
    best = best.empty() ? curve.duration : lower_envelope(best, curve.duration);
  }
  return best;
}

std::vector<Piece> pieces(const Curve& curve, double tolerance) {
  std::vector<Piece> all;
  append_pieces(all, simplified(curve, tolerance), 0, std::nullopt);
  return all;
}

std::vector<Piece> chosen_pieces(const RailPlan& rail, double tolerance) {
  const std::vector<MethodRange> ranges = method_ranges(rail);
  std::vector<Piece> all;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint64_t from = ranges[i].from_bytes;
    std::optional<std::uint64_t> to;
    if (i + 1 < ranges.size()) to = ranges[i + 1].from_bytes;
    if (ranges[i].method) {
      append_pieces(all, simplified(transfer_curve(rail, *ranges[i].method), tolerance), from, to);
    } else {
      all.push_back({from, -1, 0});
    }
  }
  return all;
}

double duration_at(const std::vector<Piece>& pieces, std::uint64_t size_bytes) {
  NMT_CHECK(!pieces.empty() && pieces.front().from_bytes == 0);
  const auto above = std::upper_bound(
      pieces.begin(), pieces.end(), size_bytes,
      [](std::uint64_t size, const Piece& piece) { return size < piece.from_bytes; });
  return value(*std::prev(above), size_bytes);
}

Curve split_curve(const RailPlan& rail) {
  const std::vector<MethodRange> ranges = method_ranges(rail);
  const auto method_at = [&](std::uint64_t size_bytes) {
    const auto above = std::upper_bound(
        ranges.begin(), ranges.end(), size_bytes,
        [](std::uint64_t size, const MethodRange& range) { return size < range.from_bytes; });
    return std::prev(above)->method;
  };
  const std::vector<Piece> chosen = chosen_pieces(rail);
  std::vector<Point> points;
  std::vector<double> weights;
  const auto add = [&](std::uint64_t size_bytes, double duration_ns) {
    const auto size = static_cast<double>(size_bytes);
    if (duration_ns < 0 || (!points.empty() && points.back().size_bytes >= size)) return;
    const double width = relative_width(rail, method_at(size_bytes), size) * duration_ns;
    points.push_back({size, duration_ns});
    weights.push_back(width > 0 ? 1 / (width * width) : 1);
  };
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i > 0 && jumps(chosen[i - 1], chosen[i])) {
      const std::uint64_t before = chosen[i].from_bytes - 1;
      add(before, value(chosen[i - 1], before));
    }
    add(chosen[i].from_bytes, chosen[i].duration_ns);
  }
  if (points.empty()) return {};
  const double end_ns_per_byte = chosen.back().ns_per_byte;
  const Curve monotone = simplified(Curve(points).monotone(weights), 0);
  points.assign(monotone.points().begin(), monotone.points().end());
  const Point last = points.back();
  const double average = last.duration_ns / std::max(1.0, last.size_bytes);
  const double slope = end_ns_per_byte > 0 ? end_ns_per_byte : average;
  points.push_back({2 * last.size_bytes + 1, last.duration_ns + slope * (last.size_bytes + 1)});
  return Curve(std::move(points));
}

Curve simplified(const Curve& curve, double tolerance) {
  const auto points = curve.points();
  if (points.size() <= 2) return curve;
  const double allowed = std::max(tolerance, 1e-12);  // rounding
  const auto straight = [&](std::size_t from, std::size_t to) {
    const double slope = (points[to].duration_ns - points[from].duration_ns) /
                         (points[to].size_bytes - points[from].size_bytes);
    for (std::size_t i = from + 1; i < to; ++i) {
      const double line =
          points[from].duration_ns + slope * (points[i].size_bytes - points[from].size_bytes);
      if (std::abs(line - points[i].duration_ns) > allowed * points[i].duration_ns) return false;
    }
    return true;
  };
  std::vector<Point> kept = {points.front()};
  for (std::size_t at = 0; at + 1 < points.size();) {
    std::size_t to = at + 1;
    while (to + 1 < points.size() && straight(at, to + 1)) ++to;
    kept.push_back(points[to]);
    at = to;
  }
  return Curve(std::move(kept));
}

}  // namespace nmt::runtime
