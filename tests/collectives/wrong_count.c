// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank calls a Bcast with a wrong count, which returns an error there. Then two Reduces,
// right on all ranks. Rank 0 prints "good" if only that one call failed.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { kCount = 3000 };
  static int own[kCount], sums[kCount];
  int few[4] = {0}, rank, size, wrong = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int is_last = rank == size - 1;
  const int code = MPI_Bcast(few, is_last ? -1 : 4, MPI_INT, 0, MPI_COMM_WORLD);
  wrong += (code != MPI_SUCCESS) != is_last;
  for (int i = 0; i < kCount; ++i) own[i] = rank + i;
  for (int times = 0; times < 2; ++times) {
    wrong += MPI_Reduce(own, sums, kCount, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; rank == 0 && i < kCount; ++i)
      wrong += sums[i] != size * (size - 1) / 2 + size * i;
  }
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("good");
  MPI_Finalize();
  return all != 0;
}
