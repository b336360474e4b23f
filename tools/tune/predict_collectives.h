// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune collectives --nodes --per-node: what is chosen on one shape, and what it takes, sampled
// or predicted (tuner/collective_model.h).
#pragma once

#include <vector>

#include "tools/command/command.h"
#include "tools/tune/subcommands.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// Cells of one operation on the shape, sampled or predicted, and the rules that hold there.
struct CollectivesOnShape {
  std::vector<tuner::CollectiveCell> cells;
  std::vector<SegmentRule> rules;
};

// One for each MPI and operation of which something is known there.
std::vector<CollectivesOnShape> collectives_on(const tuner::CollectiveShape& shape,
                                               const Plan& plan,
                                               const std::vector<tuner::CollectiveCell>& cells);

// The fastest of the MPI's own ways, or of ours; null if none.
const tuner::CollectiveTime* fastest_time(const tuner::CollectiveCell& cell, bool library);

// Error(kFailed) if nothing can be said about the shape.
Report predict_collectives(const tuner::CollectiveShape& shape, const ProfileOptions& options,
                           const Invocation& invocation);

}  // namespace nmt::tools
