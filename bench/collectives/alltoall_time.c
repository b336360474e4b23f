// SPDX-License-Identifier: BSD-3-Clause
//
// To preload into a program, before libnmadtune-mpi.so where that is preloaded too: what the
// program spends in MPI_Alltoall and MPI_Alltoallv. In MPI_Finalize, rank 0 prints
//
//   alltoall_time: calls=CALLS alltoall_s=SECONDS total_s=SECONDS
//
// with rank 0's number of calls, and the mean of all ranks' seconds; the total is from the end of
// MPI_Init on. With ALLTOALL_TIME_CALLS=CALLS in the environment also after so many calls, for
// those who do not wait for the end; with ALLTOALL_TIME_TYPE=BYTES, only calls that send elements
// of this size count. Not for programs whose threads call these at the same time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double alltoall_s, begun_s;
static long calls, reported_calls, wanted_type;

static long number_in(const char* variable) {
  const char* text = getenv(variable);
  return text != NULL ? atol(text) : 0;
}

static void begin(void) {
  reported_calls = number_in("ALLTOALL_TIME_CALLS");
  wanted_type = number_in("ALLTOALL_TIME_TYPE");
  begun_s = PMPI_Wtime();
}

static void report(void) {
  const double own_s[] = {alltoall_s, PMPI_Wtime() - begun_s};
  double sums_s[2] = {0, 0};
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Reduce(own_s, sums_s, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("alltoall_time: calls=%ld alltoall_s=%.6f total_s=%.6f\n", calls, sums_s[0] / ranks,
           sums_s[1] / ranks);
    fflush(stdout);
  }
}

static void count_call(MPI_Datatype sent_type, double start_s) {
  int type_bytes = 0;
  if (sent_type != MPI_DATATYPE_NULL) PMPI_Type_size(sent_type, &type_bytes);
  if (wanted_type > 0 && type_bytes != wanted_type) return;
  alltoall_s += PMPI_Wtime() - start_s;
  ++calls;
  if (calls == reported_calls) report();
}

// The function of that name after this library.
#define FIND_NEXT(name)          \
  static __typeof__(name)* next; \
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, #name)

int MPI_Init(int* argc, char*** argv) {
  FIND_NEXT(MPI_Init);
  const int result = next(argc, argv);
  begin();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  FIND_NEXT(MPI_Init_thread);
  const int result = next(argc, argv, required, provided);
  begin();
  return result;
}

int MPI_Alltoall(const void* from, int sent, MPI_Datatype sent_type, void* to, int received,
                 MPI_Datatype received_type, MPI_Comm comm) {
  FIND_NEXT(MPI_Alltoall);
  const double start_s = PMPI_Wtime();
  const int result = next(from, sent, sent_type, to, received, received_type, comm);
  count_call(sent_type, start_s);
  return result;
}

int MPI_Alltoallv(const void* from, const int* sent, const int* sent_places, MPI_Datatype sent_type,
                  void* to, const int* received, const int* received_places,
                  MPI_Datatype received_type, MPI_Comm comm) {
  FIND_NEXT(MPI_Alltoallv);
  const double start_s = PMPI_Wtime();
  const int result =
      next(from, sent, sent_places, sent_type, to, received, received_places, received_type, comm);
  count_call(sent_type, start_s);
  return result;
}

int MPI_Finalize(void) {
  FIND_NEXT(MPI_Finalize);
  report();
  return next();
}
