// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaigns that measure a job: all its ranks together. In reading order:
//   executor        what the ranks do together when rank 0 says so
//   clock           one time for all ranks: that of rank 0
//   rounds          rank 0's part: cells in shuffled rounds until the budget is spent
//   mpi_messages    what the MPI's own messages between two nodes take
//   alltoall        alltoalls, for a contention signature
//   alltoall_grid   which alltoalls to measure next
//   collectives     collectives by many algorithms and segments
//   changes         where one more size is worth its time
//   pair_rounds     which pairs of nodes are measured at the same time
#pragma once

#include "sampler/job/alltoall.h"
#include "sampler/job/collectives.h"
#include "sampler/job/mpi_messages.h"
#include "sampler/job/pair_rounds.h"
