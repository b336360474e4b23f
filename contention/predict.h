// SPDX-License-Identifier: BSD-3-Clause
//
// How long an alltoall will take, for every number of ranks and every size, with an interval and a
// verdict.
//
// `inside` is between the numbers of ranks and the sizes that were fitted; what lies outside is
// `extrapolated`, by the shapes that docs/contention.md gives, with an interval that grows with the
// distance; `refused` is what would be a guess: an interval wider than the value itself. What
// cannot be asked (n < 2, m = 0, all ranks on one node) throws Error(kUsage).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "contention/bound.h"
#include "contention/fit.h"

namespace nmt {

enum class Verdict { kInside, kExtrapolated, kRefused };
std::string_view to_string(Verdict verdict);

struct AlltoallPrediction {
  double predicted_ns = 0;
  std::optional<Interval> interval_ns;  // 95 %; nullopt: the signature knows of no error
  double lower_bound_ns = 0;
  Verdict verdict = Verdict::kInside;
  std::string reason;  // of a verdict other than inside
  bool far = false;    // more than 8 times the ranks that were fitted
};

AlltoallPrediction predict_alltoall(const SignatureFit& fit, std::int64_t ranks,
                                    std::uint64_t size_bytes);

// Claim 3's bound instead of Proposition 1's; gamma and delta as for equal sizes, delta for each
// message that is large enough. One rank per node.
AlltoallPrediction predict_alltoallv(const SignatureFit& fit, const ExchangeSizes& sizes);

}  // namespace nmt
