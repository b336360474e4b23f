// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaigns that measure a job: all its ranks together. In reading order:
//   executor        what the ranks run together on an order of rank 0
//   clock           one time for all ranks: the clock of rank 0
//   rounds          rank 0's part: cells in shuffled rounds until the budget is spent
//   mpi_messages    durations of the MPI's own messages between two nodes
//   flows           messages between nodes, alone and beside others
//   alltoall        alltoalls, for a contention signature
//   alltoall_grid   which alltoalls to measure next
//   collectives     collectives with many algorithms and segments
//   sub_shapes      parts of the job in which they run as in a smaller job
//   changes         where one more size is worth its time
//   pair_rounds     which pairs of nodes are measured at the same time
#pragma once

#include "sampler/job/alltoall.h"
#include "sampler/job/collectives.h"
#include "sampler/job/flows.h"
#include "sampler/job/mpi_messages.h"
#include "sampler/job/pair_rounds.h"
#include "sampler/job/sub_shapes.h"
