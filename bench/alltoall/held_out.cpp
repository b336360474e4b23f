// SPDX-License-Identifier: BSD-3-Clause
#include "bench/alltoall/held_out.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "contention/predict.h"
#include "contention/published.h"
#include "core/statistics.h"

namespace nmt::bench {

std::vector<HeldOut> held_out(const contention::AlltoallTimes& measured,
                              std::span<const std::int64_t> fitted) {
  contention::AlltoallTimes known = measured;
  std::erase_if(known.times, [&](const contention::AlltoallTime& time) {
    return std::ranges::count(fitted, time.ranks) == 0;
  });
  const contention::SignatureFit fit = contention::fit_signature(known, {});
  const auto published = [&](std::int64_t ranks, contention::Squares squares) {
    return contention::taken_as_given(contention::fit_published(measured, ranks, {}, squares));
  };
  const std::int64_t small = std::ranges::max(fitted);
  const std::int64_t large =
      std::ranges::max(measured.times, {}, &contention::AlltoallTime::ranks).ranks;
  const contention::SignatureFit ordinary = published(small, contention::Squares::kOrdinary);
  const contention::SignatureFit generalized = published(small, contention::Squares::kGeneralized);
  const contention::SignatureFit ordinary_at_most =
      published(large, contention::Squares::kOrdinary);
  const contention::SignatureFit generalized_at_most =
      published(large, contention::Squares::kGeneralized);

  std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<double>> cells;
  for (const contention::AlltoallTime& time : measured.times) {
    if (std::ranges::count(fitted, time.ranks) > 0) continue;
    cells[{time.ranks, time.size_bytes}].push_back(time.duration_ns);
  }
  std::vector<HeldOut> all;
  for (const auto& [cell, durations_ns] : cells) {
    const auto& [ranks, size_bytes] = cell;
    const contention::AlltoallPrediction ours =
        contention::predict_alltoall(fit, ranks, size_bytes);
    all.push_back(
        {.ranks = ranks,
         .size_bytes = size_bytes,
         .measured_ns = median(durations_ns),
         .predicted_ns = ours.predicted_ns,
         .interval_ns = ours.interval_ns.value_or(Interval{}),
         .ordinary_ns = contention::predict_alltoall(ordinary, ranks, size_bytes).predicted_ns,
         .generalized_ns =
             contention::predict_alltoall(generalized, ranks, size_bytes).predicted_ns,
         .ordinary_at_most_ns =
             contention::predict_alltoall(ordinary_at_most, ranks, size_bytes).predicted_ns,
         .generalized_at_most_ns =
             contention::predict_alltoall(generalized_at_most, ranks, size_bytes).predicted_ns,
         .large =
             fit.signature.delta_from_bytes > 0 && size_bytes >= fit.signature.delta_from_bytes});
  }
  return all;
}

}  // namespace nmt::bench
