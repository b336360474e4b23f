// SPDX-License-Identifier: BSD-3-Clause
#include "contention/growth.h"

#include <algorithm>
#include <cmath>

#include "core/alltoall.h"

namespace nmt::contention {
namespace {

// Two gammas that differ by less count as one. A tenth of what the paper calls a good prediction
// would be too small a limit: the networks themselves change more from day to day.
constexpr double kSameGamma = 0.05;

// Growth before anything was measured: between 0 and 1 (a medium that all ranks share). The smaller
// the error of a measured growth, the more it counts.
constexpr double kGrowthSpread = 0.5;

// With fewer numbers of ranks, nothing that is left out tells one shape from another.
constexpr std::size_t kJudged = 3;

double trust_in(double growth_error) { return 1 / (1 + std::pow(growth_error / kGrowthSpread, 2)); }

double weight_of(const GammaOf& each) { return 1 / std::max(each.error * each.error, 1e-12); }

// The number of ranks from which one gamma holds for all: the network is saturated there.
std::size_t saturated_from(std::span<const GammaOf> gammas) {
  double weights = 0;
  double sum = 0;
  std::size_t from = gammas.size();
  while (from > 0) {
    const GammaOf& next = gammas[from - 1];
    const double weight = weight_of(next);
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

// If gamma is constant from some number of ranks on, there may still be as much growth as the
// errors of those gammas allow.
Growth as_measured(std::span<const GammaOf> gammas) {
  const std::size_t from = saturated_from(gammas);
  const bool saturated = gammas.size() - from >= 2;
  Growth growth{.saturated_from = saturated ? gammas[from].ranks : 0};
  if (from > 0) {
    for (std::size_t i = 0; i < gammas.size(); ++i) {
      const double factor = i < from ? gammas[i].gamma / gammas.back().gamma : 1;
      growth.rises.push_back({gammas[i].ranks, factor});
    }
  }
  if (gammas.size() < 2) return growth;
  const GammaOf& last = gammas.back();
  const GammaOf& before = gammas[saturated ? from : gammas.size() - 2];
  const double step = std::log(double(last.ranks) / static_cast<double>(before.ranks));
  const double measured = std::log(last.gamma / before.gamma) / step;
  const double error = std::hypot(last.error, before.error) / step;
  const double trust = trust_in(error);
  if (!saturated) growth.exponent = std::clamp(trust * measured, 0.0, 1.0);
  growth.error = std::hypot(std::sqrt(trust) * error, saturated ? trust * measured : 0);
  growth.saturates = gammas.size() >= kJudged && growth.exponent <= 0;
  return growth;
}

// The saturating curve with this exponent at the last number of ranks, scaled to fit `gammas` best.
struct Saturating {
  double exponent = 0;
  double squares = 0;  // of ln(gamma / curve), each by its weight
  double error = 0;    // standard error of the exponent, by the errors of the gammas alone
};
Saturating with_exponent(double exponent, std::span<const GammaOf> gammas) {
  const std::int64_t last = gammas.back().ranks;
  // The sums of a weighted line of the rests over the derivative by the exponent.
  double weights = 0, rest_mean = 0, slope_mean = 0;
  const auto each = [&](const auto& add) {
    for (const GammaOf& one : gammas) {
      const double rise = saturating_rise(exponent, last, one.ranks);
      const double slope = rise * (1 - static_cast<double>(last) / double(one.ranks));
      add(weight_of(one), std::log(one.gamma / rise), slope);
    }
  };
  each([&](double weight, double rest, double slope) {
    weights += weight;
    rest_mean += weight * rest;
    slope_mean += weight * slope;
  });
  rest_mean /= weights;
  slope_mean /= weights;
  Saturating curve{.exponent = exponent};
  double information = 0;
  each([&](double weight, double rest, double slope) {
    curve.squares += weight * std::pow(rest - rest_mean, 2);
    information += weight * std::pow(slope - slope_mean, 2);
  });
  curve.error = information > 0 ? 1 / std::sqrt(information) : 1;
  return curve;
}

Growth saturating(std::span<const GammaOf> gammas) {
  constexpr int kSteps = 256;  // of the exponent: finer than any of them is known
  const std::int64_t last = gammas.back().ranks;
  Saturating best = with_exponent(0, gammas);
  for (int step = 1; step <= kSteps; ++step) {
    const Saturating next = with_exponent(static_cast<double>(step) / kSteps, gammas);
    if (next.squares < best.squares) best = next;
  }
  // How far the gammas are from the curve counts as error too.
  const double free = static_cast<double>(gammas.size()) - 2;
  const double scatter = free > 0 ? std::sqrt(std::max(1.0, best.squares / free)) : 1;
  const double error = std::min(best.error * scatter, 1.0);
  const double trust = trust_in(error);
  Growth growth{
      .exponent = trust * best.exponent, .error = std::sqrt(trust) * error, .saturates = true};
  for (const GammaOf& each : gammas) {
    growth.rises.push_back({each.ranks, saturating_rise(best.exponent, last, each.ranks)});
  }
  return growth;
}

}  // namespace

Growth growth_of(GrowthShape shape, std::span<const GammaOf> gammas) {
  return shape == GrowthShape::kMeasured || gammas.size() < 2 ? as_measured(gammas)
                                                              : saturating(gammas);
}

}  // namespace nmt::contention
