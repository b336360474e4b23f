// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/collective_fits.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tuner/nonnegative_fit.h"

namespace nmt::tuner {
namespace {

// Octaves after which an observation counts e^-0.5 times: protocols, and so costs, change with the
// bytes of one message of the network, and less with those of the operation.
constexpr double kSegmentOctaves = 1;
constexpr double kSizeOctaves = 2;
constexpr double kTooFar = 0.02;  // weights below this do not count

// Both may be 0: a barrier's.
double octaves(double one, double other) {
  return one == other ? 0 : std::abs(std::log2(one / other));
}

double nearness(const ChoiceAtSize& one, const ChoiceAtSize& other) {
  const double sizes =
      octaves(static_cast<double>(one.size_bytes), static_cast<double>(other.size_bytes)) /
      kSizeOctaves;
  const double segments = octaves(static_cast<double>(one.message_bytes()),
                                  static_cast<double>(other.message_bytes())) /
                          kSegmentOctaves;
  return std::exp(-(sizes * sizes + segments * segments) / 2);
}

double sum_of(const std::vector<double>& terms, const std::vector<double>& coefficients) {
  return std::inner_product(terms.begin(), terms.end(), coefficients.begin(), 0.0);
}

}  // namespace

CollectiveFits::CollectiveFits(std::string operation,
                               std::span<const CollectiveObservation> observations,
                               std::span<const ChoiceAtSize> predicted)
    : operation_(std::move(operation)) {
  std::vector<std::vector<double>> terms;
  for (const CollectiveObservation& each : observations) {
    terms.push_back(collective_terms(operation_, each.choice, each.size_bytes, each.shape));
  }
  for (const ChoiceAtSize& wanted : predicted) {
    std::vector<WeightedRow> rows;
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const CollectiveObservation& each = observations[i];
      if (each.choice.algorithm != wanted.choice.algorithm ||
          each.choice.leaders != wanted.choice.leaders) {
        continue;
      }
      const double near = nearness(wanted, {each.choice, each.size_bytes});
      if (near < kTooFar) continue;
      rows.push_back({terms[i], each.duration_ns, near / (each.duration_ns * each.duration_ns)});
    }
    if (rows.empty()) continue;
    Fit fit{.coefficients = nonnegative_fit(rows)};
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const CollectiveObservation& each = observations[i];
      if (each.choice != wanted.choice || each.size_bytes != wanted.size_bytes) continue;
      const double fitted_ns = sum_of(terms[i], fit.coefficients);
      if (fitted_ns <= 0) continue;
      sum += std::log(each.duration_ns / fitted_ns);
      ++count;
    }
    fit.remainder = sum / (count + 1);  // one observation alone is half believed
    fits_[wanted] = std::move(fit);
  }
}

std::optional<double> CollectiveFits::log_duration(const ChoiceAtSize& asked,
                                                   const CollectiveShape& shape) const {
  const auto fit = fits_.find(asked);
  if (fit == fits_.end()) return std::nullopt;
  const double ns = sum_of(collective_terms(operation_, asked.choice, asked.size_bytes, shape),
                           fit->second.coefficients);
  if (ns <= 0) return std::nullopt;
  return std::log(ns) + fit->second.remainder;
}

}  // namespace nmt::tuner
