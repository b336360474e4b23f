// SPDX-License-Identifier: BSD-3-Clause
//
// Where the ranks of a communicator run, and whether there are more of them than cores.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <vector>

#include "collectives/locality.h"

namespace nmt::collectives {

enum class CopyMethod { kAttach, kAreas, kMessages };  // within a group, the best first

// Where a rank runs, as sent to all others.
struct RankLocation {
  int node = 0;   // lowest rank of the node
  int core = 0;   // the first that it may use,
  int cores = 0;  // of this many
  Locality place;
  pid_t pid = 0;
  CopyMethod copies = CopyMethod::kAttach;
};

// Called by all ranks of `comm`: the locations of all, by rank. MpiFailure.
std::vector<RankLocation> exchange_locations(MPI_Comm comm, CopyMethod copies);
// Whether the cores of this rank are shared by more ranks than there are cores: the ranks are bound
// to the same cores, or not bound.
bool is_oversubscribed(const std::vector<RankLocation>& locations, int rank);

}  // namespace nmt::collectives
