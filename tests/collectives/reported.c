// SPDX-License-Identifier: BSD-3-Clause
//
// Planted calls for the report on collectives: a known number of each, of known sizes, and one rank
// that comes late to some; of these the program says itself how long its ranks waited and how long
// data moved, however late a busy machine made them. Prints "good".
//
//   reported [late]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kLateCalls = 5, kLateMicroseconds = 200000, kMany = 600, kRanksMax = 16 };

static int rank, size;
static char from[1 << 20], to[1 << 20];

static void one_of_each(MPI_Comm comm) {
  int counts[kRanksMax], places[kRanksMax];
  MPI_Datatype types[kRanksMax];
  for (int i = 0; i < size; ++i) {
    counts[i] = 100;
    places[i] = 100 * i;
    types[i] = MPI_BYTE;
  }
  MPI_Gather(from, 300, MPI_BYTE, to, 300, MPI_BYTE, 1, comm);
  MPI_Gatherv(from, 100, MPI_BYTE, to, counts, places, MPI_BYTE, 0, comm);
  MPI_Scatter(from, 5000, MPI_BYTE, to, 5000, MPI_BYTE, 0, comm);
  MPI_Scatterv(from, counts, places, MPI_BYTE, to, 100, MPI_BYTE, 1, comm);
  MPI_Allgatherv(from, 100, MPI_BYTE, to, counts, places, MPI_BYTE, comm);
  MPI_Alltoall(from, 20, MPI_BYTE, to, 20, MPI_BYTE, comm);
  MPI_Alltoallv(from, counts, places, MPI_BYTE, to, counts, places, MPI_BYTE, comm);
  MPI_Alltoallw(from, counts, places, types, to, counts, places, types, comm);
  MPI_Reduce_scatter(from, to, counts, MPI_CHAR, MPI_SUM, comm);
  MPI_Reduce_scatter_block(from, to, 70, MPI_CHAR, MPI_SUM, comm);
  MPI_Scan(from, to, 25, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(from, to, 25, MPI_INT, MPI_SUM, comm);
  MPI_Reduce(from, to, 250, MPI_INT, MPI_SUM, 0, comm);
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) {
    MPI_Iallreduce(from, to, 100, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// What a rank saw of a call, in ns of the clock that all ranks of a node share.
typedef struct {
  double entered, left;
} Seen;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

// "allreduce 1000000 2000": ns waited and ns moved, the mean over all ranks, summed over `calls`.
// Ranks wait for `root`, or for the last of them where that is -1.
static void tell(const char* operation, const Seen* own, int calls, int root) {
  static Seen all[kLateCalls * kRanksMax * kRanksMax];
  PMPI_Gather(own, 2 * calls, MPI_DOUBLE, all, 2 * calls, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  double waited = 0, moved = 0;
  for (int call = 0; call < calls; ++call) {
    double ready = 0;
    for (int i = 0; i < size; ++i) {
      const double entered = all[i * calls + call].entered;
      if (root == i || (root < 0 && entered > ready)) ready = entered;
    }
    for (int i = 0; i < size; ++i) {
      const Seen seen = all[i * calls + call];
      const double until = ready < seen.left ? ready : seen.left;
      const double waits = until > seen.entered ? until - seen.entered : 0;
      waited += waits / size;
      moved += (seen.left - seen.entered - waits) / size;
    }
  }
  printf("%s %.0f %.0f\n", operation, waited, moved);
}

static void come_late(void) {
  Seen seen[kLateCalls * kRanksMax];
  // The late rank takes turns, so that all of them wait as long in the end.
  for (int i = 0; i < kLateCalls * size; ++i) {
    if (rank == i % size) usleep(kLateMicroseconds / size);
    seen[i].entered = now_ns();
    MPI_Allreduce(from, to, 4096, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    seen[i].left = now_ns();
  }
  tell("allreduce", seen, kLateCalls * size, -1);
  // The root is late.
  for (int i = 0; i < kLateCalls; ++i) {
    if (rank == 1) usleep(kLateMicroseconds);
    seen[i].entered = now_ns();
    MPI_Bcast(from, 40000, MPI_BYTE, 1, MPI_COMM_WORLD);
    seen[i].left = now_ns();
  }
  tell("bcast", seen, kLateCalls, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  one_of_each(MPI_COMM_WORLD);
  // Pairs of ranks, twice, in communicators that come and go: 2 * 7 calls of this shape.
  for (int i = 0; i < 7; ++i) {
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Allgather(from, 600, MPI_BYTE, to, 600, MPI_BYTE, pair);
    MPI_Comm_free(&pair);
  }
  if (argc > 1) come_late();
  for (int i = 0; argc == 1 && i < kMany; ++i) MPI_Barrier(MPI_COMM_WORLD);
  // What fails is no call; the others have none of it.
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int code = MPI_Bcast(from, 1, MPI_BYTE, 7, MPI_COMM_SELF);
  if (rank == 0 && code != MPI_SUCCESS) puts("good");
  MPI_Finalize();
  return 0;
}
