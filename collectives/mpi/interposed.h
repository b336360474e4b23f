// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in for the MPI's own functions, for C and for Fortran (entries.cpp,
// open_mpi_fortran.cpp): acts where the advice says so. Nothing throws.
//
// In reading order:
//   entries            the C functions of MPI that are replaced
//   open_mpi_fortran   the Fortran functions of Open MPI
//   arguments          whether the arguments of a call are valid
//   job                the job: its advice, and the calls that it replaces
//   greeting           whether all ranks have loaded this library
//   teams              what is kept for each communicator
//   team               a communicator as groups of ranks with a leader each
//   team_cache         groups of freed communicators, to be used again
//   algorithms         the hierarchical algorithms
//   bcast              Bcast
//   reduce             Reduce
//   allreduce          Allreduce
//   allgather          Allgather
//   seat               the neighbours of a leader in the tree
//   descent            segments down the tree of leaders
//   ascent             segments up the tree of leaders, reduced
//   relay              segments between two ranks
//   spread             from a leader to the ranks of its node
//   group_reduce       reduces within a group
//   flat               the buffer of a call as contiguous bytes
//   failure            how an operation that failed ends
//   alarm              keeps other ranks from waiting for one that failed
//   next               the MPI function that a call goes on to
//   play               one collective as sampling and benchmarks order it
#pragma once

#include <mpi.h>

#include <optional>

namespace nmt::collectives {

// After the MPI's initialisation, which has ended with `started`; the program's result.
int begin(int started) noexcept;

// What the call returns where it acted; nullopt: the call is left alone, on all ranks.
std::optional<int> replace_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                                 MPI_Comm comm) noexcept;
std::optional<int> replace_reduce(const void* send, void* receive, MPI_Count count,
                                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) noexcept;
std::optional<int> replace_allreduce(const void* send, void* receive, MPI_Count count,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;
std::optional<int> replace_allgather(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                     void* receive, MPI_Count receive_count,
                                     MPI_Datatype receive_type, MPI_Comm comm) noexcept;

}  // namespace nmt::collectives
