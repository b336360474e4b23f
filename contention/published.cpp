// SPDX-License-Identifier: BSD-3-Clause
#include "contention/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contention/bound.h"
#include "contention/candidates.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

struct Least {
  Solution estimate;
  double squares = std::numeric_limits<double>::infinity();
};

Least least_squares_from(std::span<const AlltoallCell> cells, std::uint64_t delta_from_bytes,
                         Squares squares) {
  std::vector<Equation> equations;
  for (const AlltoallCell& cell : cells) {
    const bool large = cell.size_bytes >= delta_from_bytes;
    const double error_ns = squares == Squares::kOrdinary ? 1 : cell.spread * cell.duration_ns;
    equations.push_back({.terms = {cell.bound_ns, large ? cell.messages : 0, 0},
                         .value = cell.duration_ns,
                         .variance = error_ns * error_ns});
  }
  Least least{.estimate = least_squares(equations, 0), .squares = 0};
  for (const Equation& equation : equations) {
    double rest = equation.value;
    for (std::size_t i = 0; i < kTerms; ++i) rest -= equation.terms[i] * least.estimate.value[i];
    least.squares += rest * rest / equation.variance;
  }
  return least;
}

}  // namespace

Curve straight_line_through(const Curve& measured) {
  const auto points = measured.points();
  if (points.size() < 2) {
    throw Error(Fault::kUsage, "a straight line through a ping-pong needs at least two sizes");
  }
  double size_mean = 0;
  double duration_mean = 0;
  for (const Point& point : points) {
    size_mean += point.size_bytes / static_cast<double>(points.size());
    duration_mean += point.duration_ns / static_cast<double>(points.size());
  }
  double squares = 0;
  double products = 0;
  for (const Point& point : points) {
    squares += (point.size_bytes - size_mean) * (point.size_bytes - size_mean);
    products += (point.size_bytes - size_mean) * (point.duration_ns - duration_mean);
  }
  const double beta = std::max(0.0, products / squares);
  return straight_line(std::max(0.0, duration_mean - beta * size_mean), beta);
}

Signature fit_published(const AlltoallTimes& measured, std::int64_t ranks,
                        const FitOptions& options, Squares squares) {
  AlltoallTimes one = measured;
  std::erase_if(one.times, [&](const AlltoallTime& time) { return time.ranks != ranks; });
  one.message = straight_line_through(measured.message);
  FitOptions as_published = options;
  as_published.delta_form = DeltaForm::kPerCommunication;
  const AlltoallTable table(one, as_published);
  const std::vector<AlltoallCell>& cells = table.cells();

  std::uint64_t from_bytes = kNoDelta;
  Least best = least_squares_from(cells, from_bytes, squares);
  for (const std::uint64_t size_bytes : delta_sizes(cells, as_published)) {
    const Least least = least_squares_from(cells, size_bytes, squares);
    if (least.squares >= best.squares) continue;
    best = least;
    from_bytes = size_bytes;
  }
  return {.algorithm = measured.algorithm,
          .ranks_per_node = measured.ranks_per_node,
          .bound = one.message,
          .gamma = best.estimate.value[0],
          .delta_ns = best.estimate.value[1],
          .delta_per_message = true,
          .delta_from_bytes = from_bytes == kNoDelta ? 0 : from_bytes,
          .ranks_min = ranks,
          .ranks_max = ranks,
          .size_bytes_min = cells.front().size_bytes,
          .size_bytes_max = cells.back().size_bytes};
}

}  // namespace nmt::contention
