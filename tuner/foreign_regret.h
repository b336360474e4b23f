// SPDX-License-Identifier: BSD-3-Clause
//
// Applies the thresholds of one rail to another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"

namespace nmt {

// The cost of foreign thresholds: the thresholds of `from` applied to `on`, compared with the best
// curves of `on` at every sampled size (the first paper's figures 9 to 18).
struct ForeignRegret {
  std::string from;
  std::string on;
  DecisionKind kind = DecisionKind::kIovec;
  double mean = 0;
  double worst = 0;
  std::uint64_t worst_size_bytes = 0;
};
std::vector<ForeignRegret> compare(std::span<const RailPlan> rails);

}  // namespace nmt
