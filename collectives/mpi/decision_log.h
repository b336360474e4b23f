// SPDX-License-Identifier: BSD-3-Clause
//
// What is replaced on a communicator and by what, printed once by its rank 0
// (NMADTUNE_LOG=decisions), at its first call that a rule of any shape could be for.
#pragma once

#include <mpi.h>

#include <vector>

#include "collectives/advice.h"

namespace nmt::collectives {

// Without a word where the topic is not asked for. Its shape is 0 x 0 where it is not known: such
// communicators have no rules.
void log_communicator(MPI_Comm comm, int nodes, int ranks_per_node, const std::vector<Rule>& rules);

}  // namespace nmt::collectives
