// SPDX-License-Identifier: BSD-3-Clause
//
// The Fortran functions of Open MPI, which do not pass through the C ones: by mpif.h and the module
// mpi under any of four names, by mpi_f08 under one of its own. MPICH's do pass through them.
#include <mpi.h>

#include "collectives/mpi/interposed.h"

extern "C" {
extern int mpi_fortran_in_place_;  // of libmpi: whose address says so
extern int mpi_fortran_bottom_;
}

namespace {

void* buffer(void* given) {
  if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (given == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return given;
}

void tell(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

}  // namespace

#define NMT_VISIBLE extern "C" __attribute__((visibility("default")))
#define NMT_NAME(name, as) \
  NMT_VISIBLE __attribute__((alias("ompi_" #as "_f"))) decltype(ompi_##as##_f) name;
#define NMT_NAMES(lower, upper) \
  NMT_NAME(mpi_##lower, lower)  \
  NMT_NAME(mpi_##lower##_, lower) NMT_NAME(mpi_##lower##__, lower) NMT_NAME(MPI_##upper, lower)

NMT_VISIBLE void ompi_init_f(MPI_Fint* error) {
  tell(error, nmt::collectives::init(nullptr, nullptr));
}
NMT_VISIBLE void ompi_init_thread_f(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  int level = 0;
  tell(error, nmt::collectives::init_thread(nullptr, nullptr, *required, &level));
  *provided = level;
}
NMT_VISIBLE void ompi_bcast_f(char* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root,
                              MPI_Fint* comm, MPI_Fint* error) {
  tell(error, nmt::collectives::interposed_bcast(buffer(data), *count, PMPI_Type_f2c(*type), *root,
                                                 PMPI_Comm_f2c(*comm)));
}
NMT_VISIBLE void ompi_reduce_f(char* send, char* receive, MPI_Fint* count, MPI_Fint* type,
                               MPI_Fint* op, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  tell(error, nmt::collectives::interposed_reduce(buffer(send), buffer(receive), *count,
                                                  PMPI_Type_f2c(*type), PMPI_Op_f2c(*op), *root,
                                                  PMPI_Comm_f2c(*comm)));
}
NMT_VISIBLE void ompi_allreduce_f(char* send, char* receive, MPI_Fint* count, MPI_Fint* type,
                                  MPI_Fint* op, MPI_Fint* comm, MPI_Fint* error) {
  tell(error, nmt::collectives::interposed_allreduce(buffer(send), buffer(receive), *count,
                                                     PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
                                                     PMPI_Comm_f2c(*comm)));
}
NMT_VISIBLE void ompi_allgather_f(char* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                  char* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                  MPI_Fint* comm, MPI_Fint* error) {
  tell(error, nmt::collectives::interposed_allgather(
                  buffer(send), *send_count, PMPI_Type_f2c(*send_type), buffer(receive),
                  *receive_count, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)));
}

NMT_NAMES(init, INIT)
NMT_NAMES(init_thread, INIT_THREAD)
NMT_NAMES(bcast, BCAST)
NMT_NAMES(reduce, REDUCE)
NMT_NAMES(allreduce, ALLREDUCE)
NMT_NAMES(allgather, ALLGATHER)
