// SPDX-License-Identifier: BSD-3-Clause
#include "contention/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/alltoall.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt::contention {
namespace {

constexpr std::int64_t kFarTimes = 8;  // above this many times the fitted ranks: `far`

// Valid for sizes from `least_bytes` to `most_bytes`.
void predict(const Signature& signature, const Alltoall& exchange, std::uint64_t least_bytes,
             std::uint64_t most_bytes, AlltoallPrediction* prediction) {
  const auto extrapolated = [&](const std::string& reason) {
    prediction->verdict = Verdict::kExtrapolated;
    prediction->reason += (prediction->reason.empty() ? "" : "; ") + reason;
  };
  const std::uint64_t size_bytes_min = least_bytes_of(signature);
  if (signature.ranks_max == 0) {
    extrapolated("the signature does not name the ranks and sizes that it was fitted on");
  } else if (exchange.ranks < signature.ranks_min || exchange.ranks > signature.ranks_max) {
    prediction->far = exchange.ranks > kFarTimes * signature.ranks_max;
    extrapolated(fmt::format("{}n = {} is outside {} .. {}",
                             prediction->far ? "far outside the fitted range: " : "",
                             exchange.ranks, signature.ranks_min, signature.ranks_max));
  }
  if (signature.size_bytes_max > 0 &&
      (least_bytes < size_bytes_min || most_bytes > signature.size_bytes_max)) {
    extrapolated(fmt::format("sizes were {} to {}", format_bytes(size_bytes_min),
                             format_bytes(signature.size_bytes_max)));
  }
  const auto [duration_ns, half] = time_of(signature, exchange);
  prediction->predicted_ns = duration_ns;
  if (!half) return;
  prediction->interval_ns = {duration_ns * std::exp(-*half), duration_ns * std::exp(*half)};
  if (*half > kGuess) {
    prediction->verdict = Verdict::kRefused;
    prediction->reason =
        fmt::format("the duration may be anything from {} to {}; measure nearer to it{}{}",
                    format_duration(prediction->interval_ns->low),
                    format_duration(prediction->interval_ns->high),
                    prediction->reason.empty() ? "" : "; ", prediction->reason);
  }
}

// What was found by measuring goes on alike where more nodes are asked about than were measured.
Topology topology_for(const SignatureFit& fit, std::int64_t ranks) {
  if (!fit.groups_measured) return *fit.topology;
  const std::int64_t per_node = fit.signature.ranks_per_node;
  return enlarged(*fit.topology, static_cast<std::size_t>((ranks + per_node - 1) / per_node));
}

// The nodes with these ranks: the first of `given`, or else of the topology.
std::span<const std::string> nodes_used(const Topology& topology,
                                        std::span<const std::string> given, std::int64_t ranks,
                                        std::int64_t ranks_per_node) {
  return nodes_of(given.empty() ? topology.nodes() : given, ranks, ranks_per_node);
}

// How much an uplink carries is unknown if nothing was measured over it.
void refuse_unknown_uplink(const SignatureFit& fit, const Topology& topology,
                           std::span<const std::string> nodes, AlltoallPrediction* prediction) {
  if (!topology.needs_uplink(nodes)) return;
  prediction->verdict = Verdict::kRefused;
  prediction->reason = fmt::format(
      "nothing is known of the switches' uplinks{}; measure ranks below two switches, or give "
      "--uplink",
      fit.groups_measured ? " beyond the nodes that were measured" : "");
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
                                    std::uint64_t size_bytes, std::span<const std::string> nodes) {
  const Signature& signature = fit.signature;
  if (size_bytes == 0) {
    throw Error(Fault::kUsage, "m = 0: an empty exchange moves nothing; take m from 1 B");
  }
  AlltoallPrediction prediction;
  prediction.lower_bound_ns =
      lower_bound_ns(signature.bound, ranks, signature.ranks_per_node, size_bytes);
  Alltoall exchange = equal_alltoall(signature, ranks, size_bytes);
  std::optional<Topology> topology;
  std::span<const std::string> used;
  if (fit.topology) {
    topology = topology_for(fit, ranks);
    used = nodes_used(*topology, nodes, ranks, signature.ranks_per_node);
    exchange.bound_ns = lower_bound_ns(signature.bound, ranks, signature.ranks_per_node, size_bytes,
                                       *topology, used);
    prediction.lower_bound_ns = exchange.bound_ns;
  }
  predict(signature, exchange, size_bytes, size_bytes, &prediction);
  if (topology) refuse_unknown_uplink(fit, *topology, used, &prediction);
  return prediction;
}

AlltoallPrediction predict_alltoallv(const SignatureFit& fit, const ExchangeSizes& sizes,
                                     std::span<const std::string> nodes) {
  const Signature& signature = fit.signature;
  if (signature.ranks_per_node != 1) {
    throw Error(
        Fault::kUsage,
        fmt::format(
            "the signature is for {} ranks per node; unequal sizes can be predicted only for one "
            "rank per node",
            signature.ranks_per_node));
  }
  std::optional<Topology> topology;
  std::span<const std::string> used;
  UnequalExchange busiest = unequal_exchange(signature.bound, sizes, signature.delta_from_bytes);
  if (fit.topology) {
    const auto ranks = static_cast<std::int64_t>(sizes.size());
    topology = topology_for(fit, ranks);
    used = nodes_used(*topology, nodes, ranks, 1);
    busiest = unequal_exchange(signature.bound, sizes, signature.delta_from_bytes, *topology, used);
  }
  std::uint64_t least_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_bytes = 0;
  double bytes = 0;
  double squares = 0;
  for (std::size_t from = 0; from < sizes.size(); ++from) {
    for (std::size_t to = 0; to < sizes.size(); ++to) {
      if (to == from || sizes[from][to] == 0) continue;
      const double size_bytes = static_cast<double>(sizes[from][to]);
      bytes += size_bytes;
      squares += size_bytes * size_bytes;
      least_bytes = std::min(least_bytes, sizes[from][to]);
      most_bytes = std::max(most_bytes, sizes[from][to]);
    }
  }
  if (most_bytes == 0) {
    throw Error(Fault::kUsage, "all sizes are 0: an empty exchange moves nothing");
  }
  AlltoallPrediction prediction{.lower_bound_ns = busiest.lower_bound_ns};
  const Alltoall exchange{.ranks = static_cast<std::int64_t>(sizes.size()),
                          .bound_ns = busiest.lower_bound_ns,
                          .large_messages = static_cast<double>(busiest.startups_large),
                          .size_bytes = static_cast<std::uint64_t>(std::round(squares / bytes))};
  predict(signature, exchange, least_bytes, most_bytes, &prediction);
  if (topology) refuse_unknown_uplink(fit, *topology, used, &prediction);
  return prediction;
}

}  // namespace nmt::contention
