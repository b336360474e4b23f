// SPDX-License-Identifier: BSD-3-Clause
//
// Measures alltoalls of a job, for a contention signature (contention/contention.h).
//
// It measures our own direct exchange and the library's MPI_Alltoall, over several numbers of ranks
// and sizes, in shuffled rounds. Messages between rank 0 and a rank of another node are
// interleaved, so that both drift alike. It also measures 1, 2, 4 ... simultaneous connections
// between nodes, up to one from each node to each, until the network is saturated (the paper's
// figures 2 and 3). Either all ranks of a node take part or none, because a signature belongs to a
// number of ranks per node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"
#include "sampler/job/executor.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt::sampler {

struct AlltoallOptions {
  double budget_ns = 60e9;
  // Empty: half of the nodes, three quarters and all of them; more if alltoall_grid.h requests them
  // and the budget allows.
  std::vector<int> ranks;
  std::vector<std::uint64_t> sizes_bytes;  // to each rank; empty: as the budget allows
  std::uint64_t seed = 1;
};

// Throws Error(kUsage) for impossible numbers of ranks or sizes.
void check(const AlltoallOptions& options, const JobShape& shape);

// Called by all ranks; `observer` is used on rank 0 and null elsewhere. Samples belong to
// mpi_rail(). Options that check() refuses throw on all ranks.
CampaignReport run_alltoall(const control::MpiJob& job, const std::string& mpi_name,
                            const AlltoallOptions& options, Observer* observer);

}  // namespace nmt::sampler
