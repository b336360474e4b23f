// SPDX-License-Identifier: BSD-3-Clause
//
// A tool as others make them: a shared library that counts what a program calls and goes on by
// PMPI_*. At the end rank 0 prints the counts. With FORTRAN defined it counts Fortran's names too,
// for an MPI whose Fortran functions do not pass through the C ones.
#include <mpi.h>
#include <stdio.h>

static int inits, bcasts, reduces, allreduces, allgathers, alltoalls;

int MPI_Init(int* argc, char*** argv) {
  ++inits;
  return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  ++inits;
  return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++bcasts;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  ++reduces;
  return PMPI_Reduce(send, receive, count, type, op, root, comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++allreduces;
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  ++allgathers;
  return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  ++alltoalls;
  return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

static void tell(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  fprintf(stderr, "tool: init %d, bcast %d, reduce %d, allreduce %d, allgather %d, alltoall %d\n",
          inits, bcasts, reduces, allreduces, allgathers, alltoalls);
}

int MPI_Finalize(void) {
  tell();
  return PMPI_Finalize();
}

#ifdef FORTRAN
void pmpi_init_(MPI_Fint* error);
void pmpi_finalize_(MPI_Fint* error);
void pmpi_bcast_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm,
                 MPI_Fint* error);
void pmpi_reduce_(void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                  MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error);
void pmpi_allreduce_(void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                     MPI_Fint* comm, MPI_Fint* error);
void pmpi_allgather_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive,
                     MPI_Fint* receive_count, MPI_Fint* receive_type, MPI_Fint* comm,
                     MPI_Fint* error);
void pmpi_alltoall_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive,
                    MPI_Fint* receive_count, MPI_Fint* receive_type, MPI_Fint* comm,
                    MPI_Fint* error);

void mpi_init_(MPI_Fint* error) {
  ++inits;
  pmpi_init_(error);
}

void mpi_finalize_(MPI_Fint* error) {
  tell();
  pmpi_finalize_(error);
}

void mpi_bcast_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm,
                MPI_Fint* error) {
  ++bcasts;
  pmpi_bcast_(buffer, count, type, root, comm, error);
}

void mpi_reduce_(void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                 MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  ++reduces;
  pmpi_reduce_(send, receive, count, type, op, root, comm, error);
}

void mpi_allreduce_(void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                    MPI_Fint* comm, MPI_Fint* error) {
  ++allreduces;
  pmpi_allreduce_(send, receive, count, type, op, comm, error);
}

void mpi_allgather_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive,
                    MPI_Fint* receive_count, MPI_Fint* receive_type, MPI_Fint* comm,
                    MPI_Fint* error) {
  ++allgathers;
  pmpi_allgather_(send, send_count, send_type, receive, receive_count, receive_type, comm, error);
}

void mpi_alltoall_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive,
                   MPI_Fint* receive_count, MPI_Fint* receive_type, MPI_Fint* comm,
                   MPI_Fint* error) {
  ++alltoalls;
  pmpi_alltoall_(send, send_count, send_type, receive, receive_count, receive_type, comm, error);
}
#endif
