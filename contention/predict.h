// SPDX-License-Identifier: BSD-3-Clause
//
// Predicts the duration of an alltoall for any number of ranks and any size, with an interval and a
// verdict.
//
// `inside`: between the numbers of ranks and the sizes of the fit. `extrapolated`: outside of them,
// by the shapes in docs/contention.md, with an interval that grows with the distance. `refused`: a
// guess, with an interval wider than the value itself. An impossible question (n < 2, m = 0, all
// ranks on one node) throws Error(kUsage).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "contention/bound.h"
#include "contention/fit.h"

namespace nmt::contention {

enum class Verdict { kInside, kExtrapolated, kRefused };
std::string_view to_string(Verdict verdict);

struct AlltoallPrediction {
  double predicted_ns = 0;
  std::optional<Interval> interval_ns;  // 95 %; nullopt: the signature has no error
  double lower_bound_ns = 0;
  Verdict verdict = Verdict::kInside;
  std::string reason;  // for a verdict other than inside
  bool far = false;    // more than 8 times the ranks of the fit
};

// `nodes`: those of the ranks, in order, where the fit knows a topology; none: the topology's
// first.
AlltoallPrediction predict_alltoall(const SignatureFit& fit, std::int64_t ranks,
                                    std::uint64_t size_bytes,
                                    std::span<const std::string> nodes = {});

// Uses the bound of Claim 3 instead of Proposition 1. gamma and delta are those for equal sizes;
// delta applies to each message that is large enough. Measured ratios are those at the size of the
// message in which a byte is, on average. One rank per node.
AlltoallPrediction predict_alltoallv(const SignatureFit& fit, const ExchangeSizes& sizes,
                                     std::span<const std::string> nodes = {});

}  // namespace nmt::contention
