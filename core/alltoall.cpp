// SPDX-License-Identifier: BSD-3-Clause
#include "core/alltoall.h"

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

double logarithm(double high, double low) { return std::log(high / low); }
double logarithm(std::int64_t high, std::int64_t low) {
  return logarithm(static_cast<double>(high), static_cast<double>(low));
}
double logarithm(std::uint64_t high, std::uint64_t low) {
  return logarithm(static_cast<double>(high), static_cast<double>(low));
}

// How what predicts grows with the number of ranks.
struct GrowthInForce {
  std::span<const Rise> rises;
  double growth = 0;
  double growth_error = 0;
  bool saturates = false;

  double rise(std::int64_t ranks) const { return rise_at(rises, growth, saturates, ranks); }
};

GrowthInForce growth_in_force(const Signature& signature) {
  if (predicts_by_ratios(signature)) {
    const RatioGrowth& ratios = *signature.ratio_growth;
    return {ratios.rises, ratios.growth, ratios.growth_error, ratios.growth_saturates};
  }
  return {signature.rises, signature.growth,
          signature.uncertainty ? signature.uncertainty->growth : 0, signature.growth_saturates};
}

// Interpolates measured ratios over the logarithm of the size: for sizes below the fitted ones, or
// for all. A ratio of 0 means that none applies.
SmallRatio small_ratio(const Signature& signature, std::uint64_t size_bytes, double rise) {
  const std::span<const SmallRatio> small = signature.small;
  const bool all = predicts_by_ratios(signature);
  if (small.empty()) return {0, 0, 0};
  if (!all && size_bytes >= signature.size_bytes_min) return {0, 0, 0};
  const auto above = std::find_if(small.begin(), small.end(), [&](const SmallRatio& ratio) {
    return ratio.size_bytes >= size_bytes;
  });
  const SmallRatio low = above == small.begin() ? *above : *std::prev(above);
  const SmallRatio last =
      all ? small.back() : SmallRatio{signature.size_bytes_min, signature.gamma * rise, 0};
  const SmallRatio high = above == small.end() ? last : *above;
  const double span = logarithm(high.size_bytes, low.size_bytes);
  const double part = span > 0 ? logarithm(size_bytes, low.size_bytes) / span : 0;
  return {size_bytes, low.ratio * std::pow(high.ratio / low.ratio, part),
          std::max(low.spread, high.spread)};
}

double processors_ns(const Signature& signature, std::int64_t ranks) {
  if (signature.cores <= 0 || ranks <= signature.cores) return 0;
  const double n = static_cast<double>(ranks);
  return signature.processor_ns * n * (n - 1) / static_cast<double>(signature.cores);
}

double deltas(const Signature& signature, const Alltoall& exchange) {
  if (signature.delta_ns <= 0 || exchange.large_messages <= 0) return 0;
  return signature.delta_per_message ? exchange.large_messages : 1;
}

// Distance beyond the last fitted number of ranks, in steps as large as the last one; at least 1.
double steps_beyond(std::span<const Rise> rises, std::int64_t ranks) {
  if (rises.size() < 2 || ranks <= rises.back().ranks) return 1;
  const double step = logarithm(rises.back().ranks, rises[rises.size() - 2].ranks);
  return std::max(1.0, logarithm(ranks, rises.back().ranks) / step);
}

// Of gamma, beyond the last fitted number of ranks.
double beyond(double growth, bool saturates, std::int64_t last, std::int64_t ranks) {
  return saturates ? saturating_rise(growth, last, ranks)
                   : std::exp(growth * logarithm(ranks, last));
}

// Shared by the duration and its interval.
struct Parts {
  double rise = 1;
  SmallRatio small;
  bool by_ratios = false;  // `small` stands for gamma and delta, as for all sizes
  double deltas = 0;
};

std::optional<double> half_interval(const Signature& signature, const GrowthInForce& growth,
                                    const Alltoall& exchange, const Parts& parts,
                                    double duration_ns) {
  if (!signature.uncertainty) {
    return signature.error > 0 ? std::optional(std::log1p(signature.error)) : std::nullopt;
  }
  const Uncertainty& u = *signature.uncertainty;
  const std::span<const Rise> rises = growth.rises;
  const bool fitted = std::any_of(rises.begin(), rises.end(),
                                  [&](const Rise& each) { return each.ranks == exchange.ranks; });
  // The error of a number of ranks that was left out adds up where nothing bounds gamma.
  const double steps = growth.saturates ? 1 : steps_beyond(rises, exchange.ranks);
  const double times = fitted ? 0 : steps;
  double variance = u.sessions * u.sessions;
  if (parts.by_ratios) {
    // The spread is that of a number of ranks that was left out. One of k that was fitted counts in
    // its own mean; if it is the only one, nothing tells how much. Beyond, what a size departs by
    // may change at each step, as in a random walk.
    const double k = static_cast<double>(rises.size());
    const double walk = std::sqrt(steps_beyond(rises, exchange.ranks));
    const double spreads = !fitted ? std::max(walk, times) : k > 1 ? (k - 1) / k : 1;
    variance += std::pow(parts.small.spread * spreads, 2);
  } else if (parts.small.ratio > 0) {
    variance += parts.small.spread * parts.small.spread;
  } else {
    const double of_gamma_ns = exchange.bound_ns * parts.rise;
    variance += (of_gamma_ns * of_gamma_ns * u.gamma_variance +
                 2 * of_gamma_ns * parts.deltas * u.covariance +
                 parts.deltas * parts.deltas * u.delta_variance) /
                (duration_ns * duration_ns);
  }
  if (!parts.by_ratios) variance += std::pow(std::max(u.misfit, u.left_out * times), 2);
  if (!rises.empty() && exchange.ranks > rises.back().ranks) {
    // It is likely, but not certain, that gamma goes on growing.
    const auto rise = [&](double exponent, bool saturates) {
      return std::log(beyond(exponent, saturates, rises.back().ranks, exchange.ranks));
    };
    if (growth.saturates) {
      // The interval reaches from no growth at all to one that goes on as a power.
      const double assumed = rise(growth.growth, true);
      const double more = rise(growth.growth, false) - assumed;
      variance +=
          std::pow(std::max(assumed, more) / 2, 2) + std::pow(rise(growth.growth_error, true), 2);
    } else {
      variance += std::pow(rise(std::max(growth.growth, growth.growth_error), false), 2);
    }
  }
  return u.quantile * std::sqrt(variance);
}

}  // namespace

double saturating_rise(double growth, std::int64_t last, std::int64_t ranks) {
  const double part = static_cast<double>(last) / static_cast<double>(ranks);
  return 1 / (1 - std::min(growth, 1.0) * (1 - part));
}

double rise_at(std::span<const Rise> rises, double growth, bool saturates, std::int64_t ranks) {
  if (rises.empty()) return 1;
  const Rise& last = rises.back();
  if (ranks >= last.ranks) return beyond(growth, saturates, last.ranks, ranks);
  if (rises.size() < 2) return 1;
  auto above = std::find_if(rises.begin(), rises.end(),
                            [&](const Rise& rise) { return rise.ranks >= ranks; });
  if (above == rises.begin()) ++above;
  const Rise& low = *std::prev(above);
  const double exponent = logarithm(above->factor, low.factor) / logarithm(above->ranks, low.ranks);
  return low.factor * std::exp(exponent * logarithm(ranks, low.ranks));
}

double messages_of(std::int64_t ranks, std::int64_t ranks_per_node) {
  return static_cast<double>(ranks_per_node) * static_cast<double>(ranks - ranks_per_node);
}

Alltoall equal_alltoall(const Signature& signature, std::int64_t ranks, std::uint64_t size_bytes) {
  const double messages = messages_of(ranks, signature.ranks_per_node);
  return {.ranks = ranks,
          .bound_ns = messages * signature.bound.at(static_cast<double>(size_bytes)),
          .large_messages = size_bytes >= signature.delta_from_bytes ? messages : 0,
          .size_bytes = size_bytes};
}

AlltoallDuration time_of(const Signature& signature, const Alltoall& exchange) {
  const GrowthInForce growth = growth_in_force(signature);
  const double rise = growth.rise(exchange.ranks);
  const SmallRatio small = small_ratio(signature, exchange.size_bytes, rise);
  const bool by_ratios = predicts_by_ratios(signature);
  const Parts parts{.rise = rise,
                    .small = small,
                    .by_ratios = by_ratios,
                    .deltas = by_ratios ? 0 : deltas(signature, exchange)};
  double factor = signature.gamma * rise;
  if (small.ratio > 0) factor = by_ratios ? small.ratio * rise : small.ratio;
  const double duration_ns = exchange.bound_ns * factor + parts.deltas * signature.delta_ns +
                             processors_ns(signature, exchange.ranks);
  return {duration_ns, half_interval(signature, growth, exchange, parts, duration_ns)};
}

bool predicts_by_ratios(const Signature& signature) {
  return signature.ratio_growth.has_value() && !signature.small.empty();
}

std::uint64_t least_bytes_of(const Signature& signature) {
  return signature.small.empty() ? signature.size_bytes_min : signature.small.front().size_bytes;
}

}  // namespace nmt
