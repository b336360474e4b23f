// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of MPI_Alltoallv on one communicator: 10 of large blocks, 100 of small ones, 100 of large
// ones. Rank 0 prints "good" if all is right.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static int wrong_at(int most) {
  int* numbers = calloc(4 * (size_t)size, sizeof *numbers);
  int *sent = numbers, *received = numbers + size, *places = numbers + 2 * size, wrong = 0;
  for (int r = 0; r < size; ++r) {
    sent[r] = most / (1 + (rank + 2 * r) % 3);
    received[r] = most / (1 + (r + 2 * rank) % 3);
    places[r] = r * most;
  }
  int* from = calloc((size_t)(most * size), sizeof *from);
  int* to = calloc((size_t)(most * size), sizeof *to);
  for (int i = 0; i < most * size; ++i) from[i] = rank * 1000 + i / most;
  MPI_Alltoallv(from, sent, places, MPI_INT, to, received, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < most * size; ++i) {
    wrong += to[i] != (i % most < received[i / most] ? i / most * 1000 + rank : 0);
  }
  free(numbers);
  free(from);
  free(to);
  return wrong;
}

int main(int argc, char** argv) {
  enum { kLarge = 20000, kSmall = 6 };
  int wrong = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; ++i) wrong += wrong_at(kLarge);
  for (int i = 0; i < 100; ++i) wrong += wrong_at(kSmall);
  for (int i = 0; i < 100; ++i) wrong += wrong_at(kLarge);
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("good");
  MPI_Finalize();
  return all != 0;
}
