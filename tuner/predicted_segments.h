// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for shapes that were not sampled (tuner/collective_model.h), as a table that a snapshot can
// hold: a decision then costs a lookup, not a prediction.
//
// A rule holds for ranges of nodes and of ranks per node, closer for few nodes than for many. There
// is one only where ours is predicted to gain more than is needed to believe it, at the middle and
// at all ends of its ranges; elsewhere, and on larger shapes than the largest below, the MPI's own
// is called. Shapes that were sampled have rules of their own, and none of these. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan.h"
#include "tuner/segments.h"

namespace nmt::tuner {

// The largest numbers for which there are rules.
inline constexpr std::int64_t kPredictedNodesMax = 1024;
inline constexpr std::int64_t kPredictedRanksPerNodeMax = 128;

// Of all operations and MPIs, in the order of the cells.
std::vector<SegmentRule> predict_segments(std::span<const CollectiveCell> cells);

}  // namespace nmt::tuner
