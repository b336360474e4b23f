// SPDX-License-Identifier: BSD-3-Clause
//
// A plan out of samples.
#pragma once

#include <cstdint>
#include <span>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt {

// Two choices within this of each other count as equal: neither is regretted.
inline constexpr double kEquivalence = 0.01;

struct TuneOptions {
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;  // where the campaign says nothing
  std::uint64_t seed = 1;                                        // of the bootstrap
};

// One RailPlan per path, regime, placement and busy rails found in the sets. Sets of several
// campaigns or sessions of one path are pooled: their common speed is the centre of theirs. Beside
// busy rails the methods are those that the rail's thresholds choose alone.
Plan derive_plan(const Id& platform, std::span<const SampleSet> sets, const TuneOptions& options);

}  // namespace nmt
