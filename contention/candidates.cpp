// SPDX-License-Identifier: BSD-3-Clause
#include "contention/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/statistics.h"

namespace nmt::contention {
namespace {

std::size_t parameters_of(const Model& model) {
  std::size_t parameters = model.rises.empty() ? 1 : model.rises.size();
  for (std::size_t i = 1; i < kTerms; ++i) parameters += model.estimate.value[i] != 0 ? 1 : 0;
  return parameters + (model.delta_from_bytes == kNoDelta ? 0 : 1);
}

// Gives every number of ranks its own gamma.
void free_rises(Model& model, std::span<const AlltoallCell> cells,
                std::span<const double> variances) {
  const std::vector<GammaOf> gammas = gamma_by_ranks(model, cells, variances);
  model.rises.clear();
  for (const GammaOf& each : gammas) {
    model.rises.push_back({each.ranks, each.gamma / gammas.back().gamma});
  }
}

// The errors of gammas beside each other: what the model misses of one size at all numbers of ranks
// alike does not count.
std::vector<GammaOf> gammas_to_compare(const Model& model, std::span<const AlltoallCell> cells,
                                       std::span<const double> variances) {
  std::vector<GammaOf> gammas = gamma_by_ranks(model, cells, variances);
  std::map<std::uint64_t, std::vector<double>> of_sizes;
  std::vector<double> own;
  for (const AlltoallCell& cell : cells) {
    of_sizes[cell.size_bytes].push_back(log_error(model, cell));
    own.push_back(cell.spread * cell.spread);
  }
  const double sizes = static_cast<double>(of_sizes.size());
  const double free = (static_cast<double>(gammas.size()) - 1) * (sizes - 1);
  if (free < 1 || cells.size() != gammas.size() * of_sizes.size()) return gammas;
  double squares = 0;
  for (const auto& [size_bytes, logs] : of_sizes) {
    double mean = 0;
    for (const double log : logs) mean += log / static_cast<double>(logs.size());
    for (const double log : logs) squares += (log - mean) * (log - mean);
  }
  const double error = std::sqrt(std::max(squares / free, median(own)) / sizes);
  for (GammaOf& each : gammas) each.error = std::min(each.error, error);
  return gammas;
}

void settle_growth(Model& model, GrowthShape shape, std::span<const AlltoallCell> cells,
                   std::span<const double> variances) {
  Growth growth = growth_of(shape, gammas_to_compare(model, cells, variances));
  model.rises = std::move(growth.rises);
  model.growth = growth.exponent;
  model.growth_error = growth.error;
  model.growth_saturates = growth.saturates;
  model.saturated_from = growth.saturated_from;
}

// Least absolute values of ln(measured / model), by least squares whose weights follow: half of the
// cells decide. From least squares alone, some sizes that take ten times as long, as where packets
// are lost, would seem to be what the others miss.
void settle_start(Model& model, std::span<const AlltoallCell> cells,
                  std::span<const std::uint64_t> sizes_bytes, std::vector<double>& variances) {
  constexpr int kSteps = 10;
  constexpr double kNear = 0.02;      // nearer cells count alike
  constexpr double kSettled = 0.002;  // a start is enough
  for (int step = 0; step < kSteps; ++step) {
    model = with_best_size(model, cells, sizes_bytes, variances);
    double moved = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double distance = std::max(kNear, std::abs(log_error(model, cells[i])));
      if (step > 0) moved = std::max(moved, std::abs(distance - variances[i]));
      variances[i] = distance;
    }
    if (step > 0 && moved < kSettled) break;
  }
}

// A cell that the model misses by much more than its spread gets less weight.
void settle_trust(const Model& model, std::vector<AlltoallCell>& cells,
                  std::span<const double> variances) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double error = std::sqrt(variances[i] * cells[i].trust);
    cells[i].trust = trust_of(std::abs(log_error(model, cells[i])), error);
  }
}

}  // namespace

std::vector<std::uint64_t> delta_sizes(std::span<const AlltoallCell> cells,
                                       const FitOptions& options) {
  if (options.delta_from_bytes) return {*options.delta_from_bytes};
  constexpr std::size_t kEachSide = 3;
  std::set<std::uint64_t> all;
  for (const AlltoallCell& cell : cells) all.insert(cell.size_bytes);
  if (all.size() < 2 * kEachSide) return {};
  return {std::next(all.begin(), kEachSide), std::prev(all.end(), kEachSide - 1)};
}

// Gauss and Newton's steps to the least sum of the squares of ln(measured / model): about a model
// f, ln(y / f) is y' / f - 1 of a duration y' = f (1 + ln(y / f)). Of a cell below a third of the
// model, y' would not be positive; it stays just above 0, so that such a cell pulls less than its
// square would. The first solution, where errors are relative to what was measured, is below the
// others, and steps from below do not overshoot.
Model with_terms(Model shape, std::span<const AlltoallCell> cells,
                 std::span<const double> variances, double shared) {
  constexpr int kSteps = 8;
  constexpr double kSettled = 1e-4;  // of the model: far below what measurements tell
  constexpr double kLeast = 0.01;    // of y' / f
  std::vector<Equation> equations(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    equations[i] = {terms_of(shape, cells[i]), cells[i].duration_ns,
                    variances[i] * cells[i].duration_ns * cells[i].duration_ns};
  }
  shape.estimate = least_squares(equations, shared);
  const auto solved_ns = [&](std::size_t i) {
    return expected_ns(duration_ns(equations[i].terms, shape.estimate), cells[i]);
  };
  std::vector<double> before_ns(cells.size());
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      before_ns[i] = solved_ns(i);
      const double distance = std::log(cells[i].duration_ns / before_ns[i]);
      equations[i].value = before_ns[i] * std::max(kLeast, 1 + distance);
      equations[i].variance = variances[i] * before_ns[i] * before_ns[i];
    }
    shape.estimate = least_squares(equations, shared);
    double moved = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      moved = std::max(moved, std::abs(solved_ns(i) / before_ns[i] - 1));
    }
    if (moved < kSettled) break;
  }
  return shape;
}

Model with_best_size(const Model& shape, std::span<const AlltoallCell> cells,
                     std::span<const std::uint64_t> sizes_bytes,
                     std::span<const double> variances) {
  Model best = shape;
  best.delta_from_bytes = kNoDelta;
  best = with_terms(best, cells, variances);
  double least = chi_square(best, cells, variances);
  for (const std::uint64_t size_bytes : sizes_bytes) {
    Model model = shape;
    model.delta_from_bytes = size_bytes;
    model = with_terms(model, cells, variances);
    const double chi = chi_square(model, cells, variances);
    if (chi < least) {
      least = chi;
      best = model;
    }
  }
  return best;
}

Fitted fitted(const Shape& shape, std::span<const AlltoallCell> all,
              std::span<const std::uint64_t> sizes_bytes) {
  std::vector<AlltoallCell> cells(all.begin(), all.end());
  Model model{.form = shape.delta};
  std::vector<double> variances(cells.size(), 1);
  settle_start(model, cells, sizes_bytes, variances);
  constexpr int kPasses = 3;  // for gamma by ranks together with delta, and for distant cells
  for (int pass = 0; pass < kPasses; ++pass) {
    model = with_best_size(model, cells, sizes_bytes, variances);
    free_rises(model, cells, variances);
    model = with_terms(model, cells, variances);
    variances = spreads_of(model, cells, parameters_of(model)).variances;
    settle_trust(model, cells, variances);
    variances = spreads_of(model, cells, parameters_of(model)).variances;
  }
  settle_growth(model, shape.growth, cells, variances);
  model = with_best_size(model, cells, sizes_bytes, variances);
  Fitted result{model, spreads_of(model, cells, parameters_of(model))};
  result.model = with_terms(model, cells, result.spreads.variances);
  return result;
}

std::vector<GammaOf> gamma_by_ranks(const Model& model, std::span<const AlltoallCell> cells,
                                    std::span<const double> variances) {
  struct Sums {
    double weights = 0;
    double gammas = 0;
    std::size_t cells = 0;
  };
  std::map<std::int64_t, Sums> sums;
  Model rest = model;
  rest.estimate.value[0] = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const AlltoallCell& cell = cells[i];
    const double gamma = (cell.duration_ns - duration_ns(rest, cell)) / cell.bound_ns;
    const double error = std::sqrt(variances[i]) * cell.duration_ns / cell.bound_ns;
    Sums& sum = sums[cell.ranks];
    sum.weights += 1 / (error * error);
    sum.gammas += gamma / (error * error);
    sum.cells += 1;
  }
  std::vector<GammaOf> result;
  for (const auto& [ranks, sum] : sums) {
    // The limit applies if delta took too much: nothing is faster than its bound by orders of
    // magnitude.
    const double gamma = std::max(sum.gammas / sum.weights, model.gamma() / 100);
    result.push_back({ranks, gamma, 1 / std::sqrt(sum.weights) / gamma});
  }
  return result;
}

double error_left_out(const Shape& shape, std::span<const AlltoallCell> cells,
                      std::span<const std::uint64_t> sizes_bytes) {
  std::set<std::int64_t> ranks;
  for (const AlltoallCell& cell : cells) ranks.insert(cell.ranks);
  double sum = 0;
  for (const std::int64_t left_out : ranks) {
    std::vector<AlltoallCell> others;
    for (const AlltoallCell& cell : cells) {
      if (cell.ranks != left_out) others.push_back(cell);
    }
    const Model model = fitted(shape, others, sizes_bytes).model;
    for (const AlltoallCell& cell : cells) {
      if (cell.ranks != left_out) continue;
      sum += std::pow(log_error(model, cell), 2);
    }
  }
  return std::sqrt(sum / static_cast<double>(cells.size()));
}

}  // namespace nmt::contention
