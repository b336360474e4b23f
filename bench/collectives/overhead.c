// SPDX-License-Identifier: BSD-3-Clause
//
// What a call costs that libnmadtune-mpi.so, preloaded, leaves to the MPI: Bcasts of so many bytes
// between two ranks, by MPI_Bcast and by PMPI_Bcast, by turns.
//
//   overhead BYTES
//
// Rank 0 prints the difference of the medians in nanoseconds, on the rank where it is larger: on
// one communicator, and on two by turns.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBatches = 101, kCalls = 20000, kBytesMax = 1 << 20 };

typedef int (*Bcast)(void*, int, MPI_Datatype, int, MPI_Comm);

static int bytes;

static double time_ns(Bcast bcast, const MPI_Comm* first, const MPI_Comm* second) {
  static char data[kBytesMax];
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  for (int i = 0; i < kCalls; i += 2) {
    bcast(data, bytes, MPI_BYTE, 0, *first);
    bcast(data, bytes, MPI_BYTE, 0, *second);
  }
  return (MPI_Wtime() - start_s) * 1e9 / kCalls;
}

static int ascending(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

static double overhead_ns(const MPI_Comm* first, const MPI_Comm* second) {
  static double ours[kBatches], own[kBatches];
  double most = 0;
  for (int i = 0; i < kBatches; ++i) {
    ours[i] = time_ns(MPI_Bcast, first, second);
    own[i] = time_ns(PMPI_Bcast, first, second);
  }
  qsort(ours, kBatches, sizeof *ours, ascending);
  qsort(own, kBatches, sizeof *own, ascending);
  const double more = ours[kBatches / 2] - own[kBatches / 2];
  PMPI_Allreduce(&more, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

int main(int argc, char** argv) {
  MPI_Comm first, second;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bytes = argc > 1 ? atoi(argv[1]) : 8;
  if (bytes < 1 || bytes > kBytesMax) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  const double one = overhead_ns(&first, &first), two = overhead_ns(&first, &second);
  if (rank == 0) printf("%.1f %.1f\n", one, two);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Finalize();
  return 0;
}
