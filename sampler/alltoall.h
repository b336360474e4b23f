// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls of a job, measured for a contention signature (contention/contention.h).
//
// Our own direct exchange and the library's MPI_Alltoall, over some numbers of ranks and sizes, in
// shuffled rounds, with messages between rank 0 and one of another node in between, so that what
// drifts does so for both. All ranks of one node take part or none: a signature belongs to a number
// of ranks per node. One alltoall lasts from the first rank's start to the last one's end, by one
// clock (sampler/job_clock.h), and begins at a time agreed before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/mpi_job.h"
#include "sampler/sampler.h"

namespace nmt {

struct AlltoallOptions {
  double budget_ns = 60e9;
  std::vector<int> ranks;                  // empty: half of the nodes, and all
  std::vector<std::uint64_t> sizes_bytes;  // to each rank; empty: as many as the budget allows
  std::uint64_t seed = 1;
};

// Where the ranks of a job are.
struct JobShape {
  std::vector<std::vector<int>> nodes;  // the ranks of each, rank 0 in the first
  int ranks_per_node = 0;               // 0: not the same on all

  static JobShape of(const control::MpiJob& job);
};

// By all ranks; the observer is rank 0's, and null elsewhere. What is measured belongs to
// mpi_rail(). Throws Error(kUsage), on all ranks, for numbers of ranks that cannot be.
CampaignReport run_alltoall(const control::MpiJob& job, const std::string& mpi_name,
                            const AlltoallOptions& options, Observer* observer);

}  // namespace nmt
