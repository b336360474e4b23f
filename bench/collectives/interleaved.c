// SPDX-License-Identifier: BSD-3-Clause
//
// One collective by libnmadtune-mpi.so and by the MPI's own, by turns in one run.
//
//   interleaved LIBRARY OPERATION ALGORITHM SIZE SEGMENT REPETITIONS
//
// Rank 0 prints the medians in milliseconds, ours first, of the slowest rank of each repetition.
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectives/collectives.h"

static int (*play)(const nmt_collective_play*);

// Of the slowest rank, in milliseconds.
static double time_of(const nmt_collective_play* order) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  if (play(order) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  double own_s = MPI_Wtime() - start_s, slowest_s = 0;
  MPI_Allreduce(&own_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest_s * 1e3;
}

static int ascending(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

static double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

static void leave_now(int signal) {
  (void)signal;
  _exit(0);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void* library = argc == 7 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library != NULL) *(void**)&play = dlsym(library, NMT_COLLECTIVES_SYMBOL);
  if (play == NULL) {
    fprintf(stderr, "interleaved: %s\n", argc == 7 ? dlerror() : "six arguments");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const uint64_t bytes = strtoull(argv[4], NULL, 10);
  const int count = atoi(argv[6]), warm_ups = 2;
  char* from = calloc(1, bytes);
  char* to = calloc((size_t)ranks, bytes);
  double* ours = malloc(sizeof *ours * (size_t)count);
  double* own = malloc(sizeof *own * (size_t)count);
  if (!from || !to || !ours || !own) MPI_Abort(MPI_COMM_WORLD, 1);
  nmt_collective_play order = {.struct_bytes = sizeof order,
                               .operation = argv[2],
                               .size_bytes = bytes,
                               .segment_bytes = strtoull(argv[5], NULL, 10),
                               .from = from,
                               .to = to};
  for (int i = -warm_ups; i < count; ++i) {
    order.algorithm = argv[3];
    const double ours_ms = time_of(&order);
    order.algorithm = "library";
    const double own_ms = time_of(&order);
    if (i < 0) continue;
    ours[i] = ours_ms;
    own[i] = own_ms;
  }
  if (rank == 0) printf("%.4f %.4f\n", median(ours, count), median(own, count));
  fflush(stdout);
  signal(SIGALRM, leave_now);  // MPICH over UCX's TCP may hang in MPI_Finalize
  alarm(5);
  MPI_Finalize();
  return 0;
}
