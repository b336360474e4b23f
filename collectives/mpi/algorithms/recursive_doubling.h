// SPDX-License-Identifier: BSD-3-Clause
//
// The leaders of all groups combine short data. In each round, every leader exchanges its sum with
// another leader, at a distance that doubles (Thakur, Rabenseifner and Gropp, "Optimization of
// collective communication operations in MPICH", 2005).
//
// Both leaders combine the sum of the lower one with that of the higher one, in this order, so that
// all get the same bits. If the number of groups is no power of two, some leaders first give their
// sums to the next leader, and get the result from it in the end.
#pragma once

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"

namespace nmt::collectives {

// Called by the leader of each group. `sums` has the sums of its group before the call, and those
// of all groups after it.
void combine_by_recursive_doubling(NodeHierarchy& hierarchy, Span sums, const Reduction& reduction);

}  // namespace nmt::collectives
