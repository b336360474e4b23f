// SPDX-License-Identifier: BSD-3-Clause
//
// What is kept for a communicator: made at the first call for which a rule could be, an attribute
// of it, given back with it, or freed when MPI ends. Several threads may ask at the same time, for
// different communicators.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <vector>

#include "collectives/advice.h"
#include "collectives/mpi/hierarchy_cache.h"

namespace nmt::collectives {

struct CommState {
  std::vector<Rule> rules = {};          // for its shape; none: leave all calls alone
  std::vector<int> ranks = {};           // of the job, by its ranks; only where there are rules
  std::map<int, Lease> by_leaders = {};  // by how many of a node, for all rules; none until the
                                         // first use; a null one: leave calls alone
};

// `make` talks to nobody: what the ranks of a communicator have in common it finds by itself.
CommState& comm_state_for(MPI_Comm comm, const std::function<CommState(MPI_Comm)>& make);

// Of all that are freed.
HierarchyCache& hierarchy_cache();

// Called at the beginning of MPI_Finalize, while everything still works.
void call_at_end(void (*what)());

}  // namespace nmt::collectives
