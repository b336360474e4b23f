// SPDX-License-Identifier: BSD-3-Clause
//
// Thresholds that other stacks have as constants, for comparison: what they cost on a measured rail
// is the reason to measure. They are facts about those stacks, from their sources and documents,
// never measurements.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/method.h"

namespace nmt::tools {

struct ForeignConstant {
  std::string_view name;    // "Open MPI, shared memory"
  std::string_view source;  // the variable and its versions
  std::string_view driver;  // of the rails that it is for; empty: any. Described rails have all.
  DecisionKind kind = DecisionKind::kRendezvous;
  std::uint64_t bytes = 0;
};

// Those that would decide on a rail of this driver.
std::vector<ForeignConstant> foreign_constants(std::string_view driver, DecisionKind kind);

}  // namespace nmt::tools
