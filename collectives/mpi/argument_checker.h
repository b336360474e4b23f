// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a call's arguments are valid, by the word of the MPI itself: it is asked to make the same
// call on a communicator of this rank alone, where it checks its arguments and has nothing to send.
// What it accepts differs between MPIs (operators by types, buffers that overlap), and whether a
// type is committed no function tells.
//
// Each function returns MPI_SUCCESS or the error code that the MPI gave. Errors are not raised: no
// error handler of the program is called. Thread-safe.
#pragma once

#include <mpi.h>

namespace nmt::collectives {

class ArgumentChecker {
 public:
  void start();  // once, after MPI_Init; MpiFailure

  // Whether the operator can reduce elements of that type.
  int check_operator(MPI_Datatype type, MPI_Op op) const;

  // The rest of a call's arguments, on rank `rank` of `ranks`. Counts and types are those that a
  // call was decided on: positive and not null, but for what a rank sends to an Allgather.
  int check_bcast(void* buffer, int count, MPI_Datatype type, int root, int ranks) const;
  int check_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   int root, int rank, int ranks) const;
  int check_allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                      MPI_Op op) const;
  int check_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                      int count, MPI_Datatype type, int rank) const;

 private:
  int check_root(int root, int ranks) const;

  MPI_Comm alone_ = MPI_COMM_NULL;
};

}  // namespace nmt::collectives
