// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in for the MPI's own functions, for C and for Fortran (entries.cpp,
// open_mpi_fortran.cpp): acts where the advice says so. Nothing throws.
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
