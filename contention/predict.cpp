// SPDX-License-Identifier: BSD-3-Clause
#include "contention/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contention/model.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt {
namespace {

constexpr std::int64_t kFarTimes = 8;  // beyond the fitted ranks: said aloud

std::vector<Rise> rises_of(const SignatureFit& fit) {
  std::vector<Rise> rises;
  if (fit.gamma_by_ranks.size() < 2 || fit.saturated_from == fit.gamma_by_ranks.front().ranks) {
    return rises;
  }
  for (const GammaAt& each : fit.gamma_by_ranks) {
    const bool saturated = fit.saturated_from > 0 && each.ranks >= fit.saturated_from;
    rises.push_back({each.ranks, saturated ? 1 : each.gamma / fit.signature.gamma});
  }
  return rises;
}

// What one prediction is made of.
struct Parts {
  std::int64_t ranks = 0;
  double gamma_ns = 0;  // what gamma multiplies, gamma's rise with ranks included
  double deltas = 0;    // how many
  double processor_ns = 0;
  double ratio = 0;  // instead of gamma, for small messages; 0: none
  double ratio_spread = 0;
};

double duration_ns(const Signature& signature, const Parts& parts) {
  const double factor = parts.ratio > 0 ? parts.ratio : signature.gamma;
  return parts.gamma_ns * factor + parts.deltas * signature.delta_ns + parts.processor_ns;
}

// How many steps as large as the last one between fitted numbers of ranks; at least 1.
double steps_beyond(const SignatureFit& fit, std::int64_t ranks) {
  if (fit.ranks.size() < 2 || ranks <= fit.ranks.back()) return 1;
  const double last = static_cast<double>(fit.ranks.back());
  const double step = std::log(last / static_cast<double>(fit.ranks[fit.ranks.size() - 2]));
  return std::max(1.0, std::log(static_cast<double>(ranks) / last) / step);
}

// Half the 95 % interval, as a factor's logarithm; nullopt where nothing is known.
std::optional<double> half_interval(const SignatureFit& fit, const Parts& parts) {
  const Signature& signature = fit.signature;
  if (!fit.uncertainty) {
    return signature.error > 0 ? std::optional(std::log1p(signature.error)) : std::nullopt;
  }
  const Uncertainty& u = *fit.uncertainty;
  const double total_ns = duration_ns(signature, parts);
  double variance = u.sessions * u.sessions;
  if (parts.ratio > 0) {
    variance += parts.ratio_spread * parts.ratio_spread;
  } else {
    variance += (parts.gamma_ns * parts.gamma_ns * u.gamma_variance +
                 2 * parts.gamma_ns * parts.deltas * u.covariance +
                 parts.deltas * parts.deltas * u.delta_variance) /
                (total_ns * total_ns);
  }
  const bool fitted = std::ranges::count(fit.ranks, parts.ranks) > 0;
  const double elsewhere =
      fitted ? 0 : fit.error_left_out.value_or(0) * steps_beyond(fit, parts.ranks);
  variance += std::pow(std::max(u.misfit, elsewhere), 2);
  if (parts.ranks > fit.ranks.back()) {  // that gamma goes on growing is likely, not known
    const double growth =
        std::log(static_cast<double>(parts.ranks) / static_cast<double>(fit.ranks.back())) *
        fit.growth;
    variance += growth * growth;
  }
  return u.quantile * std::sqrt(variance);
}

void judge(const SignatureFit& fit, const Parts& parts, std::uint64_t least_bytes,
           std::uint64_t most_bytes, AlltoallPrediction* prediction) {
  const Signature& signature = fit.signature;
  const auto extrapolated = [&](const std::string& reason) {
    prediction->verdict = Verdict::kExtrapolated;
    prediction->reason += (prediction->reason.empty() ? "" : "; ") + reason;
  };
  const std::uint64_t size_bytes_min =
      fit.small.empty() ? signature.size_bytes_min : fit.small.front().size_bytes;
  if (signature.ranks_max == 0) {
    extrapolated("the signature does not say what it was fitted on");
  } else if (parts.ranks < signature.ranks_min || parts.ranks > signature.ranks_max) {
    prediction->far = parts.ranks > kFarTimes * signature.ranks_max;
    extrapolated(fmt::format("{}n = {} is outside {} .. {}",
                             prediction->far ? "far beyond what was fitted: " : "", parts.ranks,
                             signature.ranks_min, signature.ranks_max));
  }
  if (signature.size_bytes_max > 0 &&
      (least_bytes < size_bytes_min || most_bytes > signature.size_bytes_max)) {
    extrapolated(fmt::format("sizes were {} to {}", format_bytes(size_bytes_min),
                             format_bytes(signature.size_bytes_max)));
  }
  const std::optional<double> half = half_interval(fit, parts);
  if (!half) return;
  prediction->interval_ns = {prediction->predicted_ns * std::exp(-*half),
                             prediction->predicted_ns * std::exp(*half)};
  constexpr double kGuess = 0.6931;  // ln 2: twice, or half, as long
  if (*half > kGuess) {
    prediction->verdict = Verdict::kRefused;
    prediction->reason =
        fmt::format("anything from {} to {} would be possible; measure nearer to it{}{}",
                    format_duration(prediction->interval_ns->low),
                    format_duration(prediction->interval_ns->high),
                    prediction->reason.empty() ? "" : "; ", prediction->reason);
  }
}

// Below the sizes that one gamma serves: between measured ratios on the logarithmic axis.
void take_small_ratio(const SignatureFit& fit, std::uint64_t size_bytes, double rise,
                      Parts* parts) {
  if (fit.small.empty() || size_bytes >= fit.signature.size_bytes_min) return;
  const auto above = std::ranges::find_if(
      fit.small, [&](const SmallRatio& small) { return small.size_bytes >= size_bytes; });
  SmallRatio low = above == fit.small.begin() ? *above : *std::prev(above);
  const SmallRatio high = above == fit.small.end() ? SmallRatio{fit.signature.size_bytes_min,
                                                                fit.signature.gamma * rise, 0}
                                                   : *above;
  const double span = std::log(double(high.size_bytes) / static_cast<double>(low.size_bytes));
  const double part =
      span > 0 ? std::log(double(size_bytes) / static_cast<double>(low.size_bytes)) / span : 0;
  parts->ratio = low.ratio * std::pow(high.ratio / low.ratio, part);
  parts->ratio_spread = std::max(low.spread, high.spread);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInside:
      return "inside";
    case Verdict::kExtrapolated:
      return "extrapolated";
    case Verdict::kRefused:
      return "refused";
  }
  NMT_CHECK(!"verdict");
  return {};
}

AlltoallPrediction predict_alltoall(const SignatureFit& fit, std::int64_t ranks,
                                    std::uint64_t size_bytes) {
  const Signature& signature = fit.signature;
  if (size_bytes == 0) {
    throw Error(Fault::kUsage, "m = 0: an empty exchange moves nothing; take m from 1 B");
  }
  AlltoallPrediction prediction;
  const double messages = messages_through_nic(ranks, signature.ranks_per_node);
  prediction.lower_bound_ns =
      lower_bound_ns(signature.bound, ranks, signature.ranks_per_node, size_bytes);

  const double rise = rise_at(rises_of(fit), fit.growth, ranks);
  Parts parts{.ranks = ranks, .gamma_ns = prediction.lower_bound_ns * rise};
  if (signature.delta_ns > 0 && size_bytes >= signature.delta_from_bytes) {
    parts.deltas = signature.delta_per_message ? messages : 1;
  }
  take_small_ratio(fit, size_bytes, rise, &parts);
  if (parts.ratio > 0) parts.gamma_ns = prediction.lower_bound_ns;
  if (fit.cores > 0 && ranks > fit.cores) {
    const double n = static_cast<double>(ranks);
    parts.processor_ns = fit.processor_ns * n * (n - 1) / static_cast<double>(fit.cores);
  }
  prediction.predicted_ns = duration_ns(signature, parts);
  judge(fit, parts, size_bytes, size_bytes, &prediction);
  return prediction;
}

AlltoallPrediction predict_alltoallv(const SignatureFit& fit, const ExchangeSizes& sizes) {
  const Signature& signature = fit.signature;
  if (signature.ranks_per_node != 1) {
    throw Error(Fault::kUsage,
                fmt::format("a signature of {} ranks per node: unequal sizes are predicted for one "
                            "rank per node",
                            signature.ranks_per_node));
  }
  const UnequalExchange busiest =
      unequal_exchange(signature.bound, sizes, signature.delta_from_bytes);
  std::uint64_t least_bytes = kNoDelta;
  std::uint64_t most_bytes = 0;
  for (std::size_t from = 0; from < sizes.size(); ++from) {
    for (std::size_t to = 0; to < sizes.size(); ++to) {
      if (to == from || sizes[from][to] == 0) continue;
      least_bytes = std::min(least_bytes, sizes[from][to]);
      most_bytes = std::max(most_bytes, sizes[from][to]);
    }
  }
  if (most_bytes == 0) {
    throw Error(Fault::kUsage, "all sizes are 0: an empty exchange moves nothing");
  }
  const auto ranks = static_cast<std::int64_t>(sizes.size());
  const double rise = rise_at(rises_of(fit), fit.growth, ranks);
  AlltoallPrediction prediction{.lower_bound_ns = busiest.lower_bound_ns};
  Parts parts{.ranks = ranks, .gamma_ns = busiest.lower_bound_ns * rise};
  if (signature.delta_ns > 0 && busiest.startups_large > 0) {
    parts.deltas = signature.delta_per_message ? static_cast<double>(busiest.startups_large) : 1;
  }
  if (fit.cores > 0 && ranks > fit.cores) {
    const double n = static_cast<double>(ranks);
    parts.processor_ns = fit.processor_ns * n * (n - 1) / static_cast<double>(fit.cores);
  }
  prediction.predicted_ns = duration_ns(signature, parts);
  judge(fit, parts, least_bytes, most_bytes, &prediction);
  return prediction;
}

}  // namespace nmt
