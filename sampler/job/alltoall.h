// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls of a job, measured for a contention signature (contention/contention.h).
//
// Our own direct exchange and the library's MPI_Alltoall, over some numbers of ranks and sizes, in
// shuffled rounds, with messages between rank 0 and one of another node in between, so that what
// drifts does so for both; and among them 1, 2, 4 ... connections between nodes at the same time,
// up to one from each to each, until the network is saturated (the paper's figures 2 and 3). All
// ranks of one node take part or none: a signature belongs to a number of ranks per node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"
#include "sampler/job/executor.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt {

struct AlltoallOptions {
  double budget_ns = 60e9;
  // Empty: half of the nodes and all; others as alltoall_grid.h wants them and the budget allows.
  std::vector<int> ranks;
  std::vector<std::uint64_t> sizes_bytes;  // to each rank; empty: as the budget allows
  std::uint64_t seed = 1;
};

// Throws Error(kUsage) for numbers of ranks and sizes that cannot be.
void check(const AlltoallOptions& options, const JobShape& shape);

// By all ranks; the observer is rank 0's, and null elsewhere. What is measured belongs to
// mpi_rail(). Options that check() refuses throw on all ranks.
CampaignReport run_alltoall(const control::MpiJob& job, const std::string& mpi_name,
                            const AlltoallOptions& options, Observer* observer);

}  // namespace nmt
