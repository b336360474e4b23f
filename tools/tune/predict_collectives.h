// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune collectives --nodes --per-node: what a program does on one shape, by the rules of the
// plan, and what it takes, sampled or predicted (tuner/collective_model.h). Nothing is predicted
// for shapes larger than those for which there are rules (tuner/predicted_segments.h).
#pragma once

#include <vector>

#include "tools/command/command.h"
#include "tools/tune/subcommands.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// Cells of one operation on the shape, sampled or predicted, and the plan's rules for these cells.
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

// The time of what a program does, by the rules of the cell's shape: where they say nothing of its
// size, the MPI's own. Null if that time is not known.
const tuner::CollectiveTime* followed_time(const std::vector<SegmentRule>& rules,
                                           const tuner::CollectiveCell& cell);

// Error(kFailed) if nothing can be said about the shape.
Report predict_collectives(const tuner::CollectiveShape& shape, const ProfileOptions& options,
                           const Invocation& invocation);

}  // namespace nmt::tools
