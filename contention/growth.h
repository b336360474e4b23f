// SPDX-License-Identifier: BSD-3-Clause
//
// How gamma grows with the number of ranks, from the gammas of those that were measured.
//
// Private. Two shapes, of which a fit takes the one that better predicts numbers of ranks that were
// left out. As measured: each number of ranks has its own gamma, the largest ones share one where
// they agree, and where they do not, gamma goes on as a power of the number of ranks. Saturating:
//   gamma(n) = G n / (n + h),
// a line in 1 / n of 1 / gamma, which approaches G however many ranks there are: half of G at h
// ranks. Both are described by the exponent at the largest number N of ranks, where they begin
// alike: h = N growth / (1 - growth).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/signature.h"

namespace nmt::contention {

// gamma of one number of ranks, and its standard error.
struct GammaOf {
  std::int64_t ranks = 0;
  double gamma = 0;
  double error = 0;  // relative
};

enum class GrowthShape { kMeasured, kSaturating };

struct Growth {
  std::vector<Rise> rises;          // by ranks; the last is 1. Empty: one gamma
  double exponent = 0;              // at the last of `rises`
  double error = 0;                 // standard error of the exponent
  bool saturates = false;           // beyond it; false: gamma goes on with that exponent
  std::int64_t saturated_from = 0;  // one gamma holds from so many ranks on; 0: unknown
};

// `gammas` are by ranks. Neither shape grows faster than the number of ranks, as on a medium that
// all of them share. The smaller the error of a growth, the more it counts: as if 0, give or take a
// half, had been measured before.
Growth growth_of(GrowthShape shape, std::span<const GammaOf> gammas);

}  // namespace nmt::contention
