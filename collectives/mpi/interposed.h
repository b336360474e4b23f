// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in for the MPI's own functions, for C and for Fortran: acts where the advice says so,
// and calls the library's own otherwise.
#pragma once

#include <mpi.h>

namespace nmt::collectives {

int init(int* argc, char*** argv);
int init_thread(int* argc, char*** argv, int required, int* provided);
int interposed_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int interposed_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                      int root, MPI_Comm comm);
int interposed_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm);
int interposed_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                         int receive_count, MPI_Datatype receive_type, MPI_Comm comm);

}  // namespace nmt::collectives
