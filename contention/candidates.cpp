// SPDX-License-Identifier: BSD-3-Clause
#include "contention/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace nmt::contention {
namespace {

// Two gammas that differ by less count as one. A tenth of what the paper calls a good prediction
// would be too small a limit: the networks themselves change more from day to day.
constexpr double kSameGamma = 0.05;

// Growth before anything was measured: between 0 and 1 (a medium that all ranks share). The smaller
// the error of a measured growth, the more it counts.
constexpr double kGrowthSpread = 0.5;

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

// The number of ranks from which one gamma holds for all: the network is saturated there.
std::size_t saturated_from(std::span<const GammaOf> gammas) {
  double weights = 0;
  double sum = 0;
  std::size_t from = gammas.size();
  while (from > 0) {
    const GammaOf& next = gammas[from - 1];
    const double weight = 1 / std::max(next.error * next.error, 1e-12);
    if (weights > 0) {
      const double distance = std::abs(std::log(next.gamma) - sum / weights);
      const double noise = 2 * std::sqrt(1 / weight + 1 / weights);
      if (noise > kTellable || distance > std::max(kSameGamma, noise)) break;
    }
    sum += weight * std::log(next.gamma);
    weights += weight;
    --from;
  }
  return from;
}

// The growth of gamma beyond the largest number of ranks. If gamma is constant from `from` on,
// there may still be as much growth as the errors of those gammas allow.
void settle_growth(std::span<const GammaOf> gammas, std::size_t from, bool saturated,
                   Model& model) {
  model.growth = model.growth_error = 0;
  if (gammas.size() < 2) return;
  const GammaOf& last = gammas.back();
  const GammaOf& before = gammas[saturated ? from : gammas.size() - 2];
  const double step = std::log(double(last.ranks) / static_cast<double>(before.ranks));
  const double measured = std::log(last.gamma / before.gamma) / step;
  const double error = std::hypot(last.error, before.error) / step;
  const double trust = 1 / (1 + std::pow(error / kGrowthSpread, 2));
  if (!saturated) model.growth = std::clamp(trust * measured, 0.0, 1.0);
  model.growth_error = std::hypot(std::sqrt(trust) * error, saturated ? trust * measured : 0);
}

void settle_rises(Model& model, std::span<const AlltoallCell> cells,
                  std::span<const double> variances) {
  const std::vector<GammaOf> gammas = gamma_by_ranks(model, cells, variances);
  const std::size_t from = saturated_from(gammas);
  const bool saturated = gammas.size() - from >= 2;
  model.saturated_from = saturated ? gammas[from].ranks : 0;
  settle_growth(gammas, from, saturated, model);
  if (from == 0) {
    model.rises.clear();
    return;
  }
  for (std::size_t i = from; i < model.rises.size(); ++i) model.rises[i].factor = 1;
}

// A cell that the model misses by much more than its spread gets less weight.
void settle_trust(const Model& model, std::vector<AlltoallCell>& cells,
                  std::span<const double> variances) {
  constexpr double kFar = 3;  // bend of the Huber loss, in standard errors
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double error = std::sqrt(variances[i] * cells[i].trust);
    const double distance = std::abs(std::log(cells[i].duration_ns / duration_ns(model, cells[i])));
    cells[i].trust = distance > kFar * error ? kFar * error / distance : 1;
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

Model with_terms(Model shape, std::span<const AlltoallCell> cells,
                 std::span<const double> variances, double shared) {
  std::vector<Equation> equations(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    equations[i] = {terms_of(shape, cells[i]), cells[i].duration_ns,
                    variances[i] * cells[i].duration_ns * cells[i].duration_ns};
  }
  shape.estimate = least_squares(equations, shared);
  // Variances are relative to the true duration; the model is now nearer to it than the
  // measurement.
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double expected_ns = duration_ns(shape, cells[i]);
    equations[i].variance = variances[i] * expected_ns * expected_ns;
  }
  shape.estimate = least_squares(equations, shared);
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

Fitted fitted(DeltaForm form, std::span<const AlltoallCell> all,
              std::span<const std::uint64_t> sizes_bytes) {
  std::vector<AlltoallCell> cells(all.begin(), all.end());
  Model model{.form = form};
  std::vector<double> variances(cells.size(), 1);
  constexpr int kPasses = 3;  // for gamma by ranks together with delta, and for distant cells
  for (int pass = 0; pass < kPasses; ++pass) {
    model = with_best_size(model, cells, sizes_bytes, variances);
    free_rises(model, cells, variances);
    model = with_terms(model, cells, variances);
    variances = spreads_of(model, cells, parameters_of(model)).variances;
    settle_trust(model, cells, variances);
    variances = spreads_of(model, cells, parameters_of(model)).variances;
  }
  settle_rises(model, cells, variances);
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

double error_left_out(DeltaForm form, std::span<const AlltoallCell> cells,
                      std::span<const std::uint64_t> sizes_bytes) {
  std::set<std::int64_t> ranks;
  for (const AlltoallCell& cell : cells) ranks.insert(cell.ranks);
  double sum = 0;
  for (const std::int64_t left_out : ranks) {
    std::vector<AlltoallCell> others;
    for (const AlltoallCell& cell : cells) {
      if (cell.ranks != left_out) others.push_back(cell);
    }
    const Model model = fitted(form, others, sizes_bytes).model;
    for (const AlltoallCell& cell : cells) {
      if (cell.ranks != left_out) continue;
      sum += std::pow(std::log(cell.duration_ns / duration_ns(model, cell)), 2);
    }
  }
  return std::sqrt(sum / static_cast<double>(cells.size()));
}

}  // namespace nmt::contention
