// SPDX-License-Identifier: BSD-3-Clause
//
// State of a communicator. It is made at the first call to which a rule might apply, and stored as
// an attribute. It is released with the communicator, or freed when MPI ends. Several threads may
// ask at the same time, for different communicators.
//
// Face of what is kept of communicators. Below it:
//   hierarchy_cache   hierarchies of freed communicators, for reuse
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "collectives/advice.h"
#include "collectives/look_rarely.h"
#include "collectives/mpi/communicator/hierarchy_cache.h"
#include "collectives/mpi/library/library_algorithms.h"

namespace nmt::collectives {

struct CommState {
  std::span<const Rule> rules = {};      // for its shape, kept by the job; empty: leave all calls
                                         // alone
  std::vector<int> ranks = {};           // by rank, their ranks in the job; only if there are rules
  std::map<int, Lease> by_leaders = {};  // by leaders per node, for all rules; empty until
                                         // the first use; a null lease: leave calls alone
  std::map<std::int32_t, ShadowCommunicator> shadows = {};  // by Rule::library, from the first use
  LookRarely unequal = {};                                  // at calls of MPI_Alltoallv
};

// `make` does not communicate: it finds by itself what the ranks of a communicator have in common.
CommState& comm_state_for(MPI_Comm comm, const std::function<CommState(MPI_Comm)>& make);

// Hierarchies of freed communicators.
HierarchyCache& hierarchy_cache();

// `what` is called at the start of MPI_Finalize, while everything still works.
void call_at_end(void (*what)());

}  // namespace nmt::collectives
