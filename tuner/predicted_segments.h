// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for shapes that were not sampled (tuner/collective_model.h), as a table that a snapshot can
// hold: a decision then costs a lookup, not a prediction.
//
// A rule holds for ranges of nodes and of ranks per node, closer for few nodes than for many. There
// is one only where ours is predicted to gain more than the prediction's error, at every shape that
// was predicted within its ranges; elsewhere the MPI's own is called. Shapes that were sampled have
// rules of their own, and none of these. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/plan.h"
#include "tuner/segments.h"

namespace nmt::tuner {

// Of all operations and MPIs, in the order of the cells.
std::vector<SegmentRule> predict_segments(std::span<const CollectiveCell> cells);

}  // namespace nmt::tuner
