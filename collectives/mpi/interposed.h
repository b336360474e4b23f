// SPDX-License-Identifier: BSD-3-Clause
//
// Replacements of the MPI's own functions, for C and for Fortran (mpi_entries.cpp,
// open_mpi_fortran.cpp). They replace a call if the advice says so. Nothing throws.
//
// In reading order:
//   mpi_entries               the C functions of MPI that are replaced
//   open_mpi_fortran          the Fortran functions of Open MPI
//   other_entries             C functions that are only timed for the report
//   open_mpi_fortran_others   Fortran functions of Open MPI that are only timed
//   next_definition           the next definition of an MPI function, for calls left alone
//   argument_checker          whether the arguments of a call are valid
//   job                       the job: its advice, and the calls that it replaces
//   mixed_mpis                whether this library, the MPI and the launcher belong together
//   loaded_everywhere         whether all ranks have loaded this library
//   decision_log              prints what is replaced on a communicator
//   decided_algorithm         runs what was decided, by an algorithm of ours or of the MPI's
//   packed_buffer             the buffer of a call as contiguous bytes
//   unequal_blocks            counts and displacements of blocks
//   run_collective            runs one collective for sampling and benchmarks
//
// Folders are floors (docs/architecture.md), from the top down:
//   report/                   times the collectives of a program
//   communicator/             what is kept of a communicator, also after it was freed
//   algorithms/               the hierarchical algorithms, over contiguous bytes
//   library/                  the MPI itself: its own algorithms, its name and version
//   hierarchy/                what algorithms stand on: ranks by nodes, waiting, failures
#pragma once

#include <mpi.h>

#include <optional>

#include "collectives/mpi/unequal_blocks.h"

namespace nmt::collectives {

// Called after the MPI's initialisation, which returned `started`; returns the program's result.
int begin(int started) noexcept;

// Returns the result of a replaced call; nullopt: the call is left to the MPI, on all ranks.
std::optional<int> replace_barrier(MPI_Comm comm) noexcept;
std::optional<int> replace_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                                 MPI_Comm comm) noexcept;
std::optional<int> replace_reduce(const void* send, void* receive, MPI_Count count,
                                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) noexcept;
std::optional<int> replace_allreduce(const void* send, void* receive, MPI_Count count,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;
std::optional<int> replace_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                     void* receive, MPI_Count receive_count,
                                     MPI_Datatype receive_type, MPI_Comm comm) noexcept;
std::optional<int> replace_alltoall(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                    void* receive, MPI_Count receive_count,
                                    MPI_Datatype receive_type, MPI_Comm comm) noexcept;
std::optional<int> replace_alltoallv(const UnequalBlocks& send, const UnequalBlocks& receive,
                                     MPI_Comm comm) noexcept;
std::optional<int> replace_allgatherv(const void* send, MPI_Count send_count,
                                      MPI_Datatype send_type, const UnequalBlocks& receive,
                                      MPI_Comm comm) noexcept;
template <class Count, class Place>
std::optional<int> replace_allgatherv(const void* send, MPI_Count send_count,
                                      MPI_Datatype send_type, void* receive, const Count* counts,
                                      const Place* places, MPI_Datatype receive_type,
                                      MPI_Comm comm) noexcept {
  return replace_allgatherv(send, send_count, send_type, {receive, counts, places, receive_type},
                            comm);
}
std::optional<int> replace_gather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                  void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                  int root, MPI_Comm comm) noexcept;
std::optional<int> replace_scatter(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                   void* receive, MPI_Count receive_count,
                                   MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept;
std::optional<int> replace_reduce_scatter_block(const void* send, void* receive, MPI_Count count,
                                                MPI_Datatype type, MPI_Op op,
                                                MPI_Comm comm) noexcept;
std::optional<int> replace_reduce_scatter(const void* send, void* receive, const Counts& counts,
                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;
template <class Count>
std::optional<int> replace_reduce_scatter(const void* send, void* receive, const Count* counts,
                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept {
  return replace_reduce_scatter(send, receive, Counts(counts), type, op, comm);
}
template <class Count, class Place>
std::optional<int> replace_alltoallv(const void* send, const Count* send_counts,
                                     const Place* send_places, MPI_Datatype send_type,
                                     void* receive, const Count* receive_counts,
                                     const Place* receive_places, MPI_Datatype receive_type,
                                     MPI_Comm comm) noexcept {
  return replace_alltoallv({send, send_counts, send_places, send_type},
                           {receive, receive_counts, receive_places, receive_type}, comm);
}

}  // namespace nmt::collectives
