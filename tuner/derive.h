// SPDX-License-Identifier: BSD-3-Clause
//
// Derives a plan from samples.
#pragma once

#include <cstdint>
#include <span>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt::tuner {

// Two choices within this fraction of each other count as equal, with no regret for either.
inline constexpr double kEquivalence = 0.01;

struct TuneOptions {
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;  // if the campaign has none
  std::uint64_t seed = 1;                                        // of the bootstrap
};

// One RailPlan per path, regime, placement, busy rails and ranks per NIC in the sets. Sets of one
// path from several campaigns or sessions are pooled; their common speed is the centre of their
// speeds. Beside busy rails, the methods are those that the rail's thresholds choose for the rail
// alone.
Plan derive_plan(const Id& platform, std::span<const SampleSet> sets, const TuneOptions& options);

}  // namespace nmt::tuner
