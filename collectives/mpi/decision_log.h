// SPDX-License-Identifier: BSD-3-Clause
//
// Prints once, by rank 0 of a communicator, what is replaced on it and by what
// (NMADTUNE_LOG=decisions), at its first call to which a rule of any shape might apply.
#pragma once

#include <mpi.h>

#include <set>
#include <vector>

#include "collectives/advice.h"

namespace nmt::collectives {

// Does nothing if the topic is not requested. `ranks_per_node` has the different numbers of ranks
// that nodes have. 0 nodes: the shape is unknown; such communicators have no rules.
void log_communicator(MPI_Comm comm, int nodes, const std::set<int>& ranks_per_node,
                      const std::vector<Rule>& rules);

}  // namespace nmt::collectives
