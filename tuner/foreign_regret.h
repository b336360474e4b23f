// SPDX-License-Identifier: BSD-3-Clause
//
// Applies the thresholds of one rail, or of another stack, to a rail.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"

namespace nmt::tuner {

// How much slower the choice of `threshold` is on `on` than the best choice, as a fraction, at each
// sampled size where the choice is free. Empty if a side was not measured.
struct RegretAt {
  std::uint64_t size_bytes = 0;
  double regret = 0;
};
std::vector<RegretAt> regrets_at(const RailPlan& on, const Threshold& threshold);

// The mean over all sizes, each with its share of the logarithmic axis, and the worst. 0 for none.
struct RegretSummary {
  double mean = 0;
  double worst = 0;
  std::uint64_t worst_size_bytes = 0;
};
RegretSummary summary_of(std::span<const RegretAt> regrets);

// The cost of foreign thresholds: the thresholds of `from` applied to `on`, compared with the best
// curves of `on` at every sampled size (the first paper's figures 9 to 18).
struct ForeignRegret : RegretSummary {
  std::string from;
  std::string on;
  DecisionKind kind = DecisionKind::kIovec;
};
std::vector<ForeignRegret> compare(std::span<const RailPlan> rails);

// One change of choice, at `bytes`: how other stacks write their limits.
Threshold threshold_at(DecisionKind kind, std::uint64_t bytes);

}  // namespace nmt::tuner
