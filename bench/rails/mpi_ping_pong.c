// SPDX-License-Identifier: BSD-3-Clause
//
// Ping-pong of two ranks: for each size of the command line a line "SIZE NANOSECONDS", half the
// median round trip.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 15, kWarmUps = 3 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void swap(char* bytes, int size, int rank) {
  if (rank == 0) MPI_Send(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(bytes, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    const int size = atoi(argv[i]);
    const int batch = size < 1000000 ? 20 : 1;
    char* bytes = malloc((size_t)size + 1);
    memset(bytes, 1, (size_t)size + 1);
    double times[kRounds];
    for (int k = 0; k < kWarmUps * batch; ++k) swap(bytes, size, rank);
    for (int round = 0; round < kRounds; ++round) {
      const double start = MPI_Wtime();
      for (int k = 0; k < batch; ++k) swap(bytes, size, rank);
      times[round] = (MPI_Wtime() - start) / 2 / batch;
    }
    qsort(times, kRounds, sizeof times[0], compare);
    if (rank == 0) printf("%d %.0f\n", size, times[kRounds / 2] * 1e9);
    free(bytes);
  }
  MPI_Finalize();
  return 0;
}
