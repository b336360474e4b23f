// SPDX-License-Identifier: BSD-3-Clause
//
// What a call costs that libnmadtune-mpi.so, preloaded, leaves to the MPI: Bcasts of some bytes on
// communicators of one rank, by MPI_Bcast and by PMPI_Bcast, by turns.
//
//   overhead
//
// Prints the difference of the medians in nanoseconds: on one communicator, and on two by turns.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBatches = 101, kCalls = 20000 };

typedef int (*Bcast)(void*, int, MPI_Datatype, int, MPI_Comm);

static double time_ns(Bcast bcast, const MPI_Comm* first, const MPI_Comm* second) {
  char bytes[8] = {0};
  const double start_s = MPI_Wtime();
  for (int i = 0; i < kCalls; i += 2) {
    bcast(bytes, sizeof bytes, MPI_BYTE, 0, *first);
    bcast(bytes, sizeof bytes, MPI_BYTE, 0, *second);
  }
  return (MPI_Wtime() - start_s) * 1e9 / kCalls;
}

static int ascending(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

static double overhead_ns(const MPI_Comm* first, const MPI_Comm* second) {
  static double ours[kBatches], own[kBatches];
  for (int i = 0; i < kBatches; ++i) {
    ours[i] = time_ns(MPI_Bcast, first, second);
    own[i] = time_ns(PMPI_Bcast, first, second);
  }
  qsort(ours, kBatches, sizeof *ours, ascending);
  qsort(own, kBatches, sizeof *own, ascending);
  return ours[kBatches / 2] - own[kBatches / 2];
}

int main(int argc, char** argv) {
  MPI_Comm first, second;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &first);
  MPI_Comm_dup(MPI_COMM_SELF, &second);
  printf("%.1f %.1f\n", overhead_ns(&first, &first), overhead_ns(&first, &second));
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Finalize();
  return 0;
}
