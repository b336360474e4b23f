// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a call's arguments are valid, according to the MPI itself: it runs the same call on a
// communicator with only this rank, where it checks the arguments and has nothing to send. MPIs
// differ in what they accept (operators per type, overlapping buffers), and no function reports
// whether a type is committed.
//
// Each function returns MPI_SUCCESS or the MPI's error code. Errors are not raised: no error
// handler of the program is called. Thread-safe.
#pragma once

#include <mpi.h>

#include "collectives/mpi/unequal_blocks.h"

namespace nmt::collectives {

class ArgumentChecker {
 public:
  void start();  // once, after MPI_Init; MpiFailure

  // Whether the operator can reduce elements of this type.
  int check_operator(MPI_Datatype type, MPI_Op op) const;

  // The other arguments of a call on rank `rank` of `ranks`. Counts are positive and types are not
  // null, because Job::decide() has looked at them. It has not looked at what a rank sends to an
  // Allgather(v) or an Alltoall, nor at the root's own block in a Gather or a Scatter.
  int check_bcast(void* buffer, int count, MPI_Datatype type, int root, int ranks) const;
  int check_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   int root, int rank, int ranks) const;
  int check_allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                      MPI_Op op) const;
  int check_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                      int count, MPI_Datatype type, int rank) const;
  int check_alltoall(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                     int count, MPI_Datatype type, int rank) const;
  int check_allgatherv(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                       const UnequalBlocks& receive, int rank, int ranks) const;
  int check_gather(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                   MPI_Count count, MPI_Datatype type, int root, int rank, int ranks) const;
  int check_scatter(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                    MPI_Count count, MPI_Datatype type, int root, int rank, int ranks) const;
  int check_reduce_scatter_block(const void* send, const void* receive, int count,
                                 MPI_Datatype type, MPI_Op op) const;
  int check_reduce_scatter(const void* send, const void* receive, const Counts& counts,
                           MPI_Datatype type, MPI_Op op, int rank) const;
  // Nothing of this call was decided on yet.
  int check_alltoallv(const UnequalBlocks& send, const UnequalBlocks& receive, int rank,
                      int ranks) const;

 private:
  // PMPI_Allgather, PMPI_Alltoall, or another call with a single block and the blocks of all ranks.
  using BlocksCall = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  int check_blocks(BlocksCall call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                   void* receive, int count, MPI_Datatype type, int rank) const;
  int check_root(int root, int ranks) const;
  int check_unequal(const UnequalBlocks& blocks, int ranks) const;

  MPI_Comm alone_ = MPI_COMM_NULL;
};

}  // namespace nmt::collectives
