// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in for the MPI's own functions, for C and for Fortran (mpi_entries.cpp,
// open_mpi_fortran.cpp): acts where the advice says so. Nothing throws.
//
// In reading order:
//   mpi_entries              the C functions of MPI that are replaced
//   open_mpi_fortran         the Fortran functions of Open MPI
//   other_entries            the C functions that are never replaced, for the report
//   open_mpi_fortran_others  the Fortran functions of Open MPI that are never replaced
//   argument_checker         whether the arguments of a call are valid
//   job                      the job: its advice, and the calls that it replaces
//   loaded_everywhere        whether all ranks have loaded this library
//   comm_state               what is kept for each communicator
//   node_hierarchy           a communicator as groups of ranks with a leader each
//   hierarchy_cache          groups of freed communicators, to be used again
//   algorithms               the hierarchical algorithms
//   bcast                    Bcast
//   reduce                   Reduce
//   allreduce                Allreduce
//   allgather                Allgather
//   tree_neighbors           the neighbours of a leader in the tree
//   bcast_pipeline           segments down the tree of leaders
//   reduce_pipeline          segments up the tree of leaders, reduced
//   segment_pipeline         segments between two ranks
//   intra_node_bcast         from a leader to the ranks of its node
//   group_reduce             reduces within a group
//   packed_buffer            the buffer of a call as contiguous bytes
//   failure                  how an operation that failed ends
//   failure_notifier         keeps other ranks from waiting for one that failed
//   next_definition          the MPI function that a call goes on to
//   run_collective           one collective as sampling and benchmarks order it
//   decision_log             what is replaced on a communicator, printed
//   call_recorder            times the collectives of a program that is left alone
//   call_description         how large a call is, from its arguments
//   node_clocks              the clocks of all nodes against that of rank 0
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
