// SPDX-License-Identifier: BSD-3-Clause
//
// Short data of all groups, combined by their leaders: in each round, two leaders exchange what
// they have, at a distance that doubles (Thakur, Rabenseifner and Gropp, "Optimization of
// collective communication operations in MPICH", 2005).
//
// Both combine the lower one's with the higher one's, so that all get the same bits. Where the
// number of groups is no power of two, some leaders give theirs to the next one first, and get the
// result from it.
#pragma once

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/segment_pipeline.h"

namespace nmt::collectives {

// Called by the leader of each group: `sums` are those of its group, and then those of all.
void combine_by_recursive_doubling(NodeHierarchy& hierarchy, Span sums, const Reduction& reduction);

}  // namespace nmt::collectives
