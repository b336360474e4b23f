// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on communicators that programs make besides the usual ones: MPI_COMM_SELF, one of a
// single rank, one between two groups, and twenty that live for one call of each. Checks what they
// give; prints "good" and ends with 0.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 2500, kShortLives = 20, kRanksMax = 64 };

static double own[kCount], all[kCount * kRanksMax];
static int wrong;

static void expect(double found, double right, const char* what) {
  if (found == right) return;
  ++wrong;
  fprintf(stderr, "%s: %g, not %g\n", what, found, right);
}

// Each rank gives its number. `count`: ranks whose data comes here, of the other group if there are
// two. `hears`: this rank is the root.
static void one_of_each(MPI_Comm comm, int root, int hears, int count, const char* what) {
  int rank = 0;
  const double sum = count * (count - 1) / 2;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < kCount; ++i) own[i] = rank;
  MPI_Allreduce(own, all, kCount, MPI_DOUBLE, MPI_SUM, comm);
  expect(all[kCount - 1], sum, what);
  MPI_Allgather(own, kCount, MPI_DOUBLE, all, kCount, MPI_DOUBLE, comm);
  expect(all[kCount * count - 1], count - 1, what);
  all[kCount - 1] = sum;
  MPI_Reduce(own, all, kCount, MPI_DOUBLE, MPI_SUM, root, comm);
  if (hears) expect(all[kCount - 1], sum, what);
  own[kCount - 1] = hears ? 42 : -1;
  MPI_Bcast(own, kCount, MPI_DOUBLE, root, comm);
  if (root >= 0) expect(own[kCount - 1], 42, what);
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, failed = 0;
  MPI_Comm alone, half, between;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > kRanksMax) MPI_Abort(MPI_COMM_WORLD, 2);

  one_of_each(MPI_COMM_SELF, 0, 1, 1, "MPI_COMM_SELF");
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  one_of_each(alone, 0, 1, 1, "one rank");
  MPI_Comm_free(&alone);

  // Rank 0 of the even ranks is the root.
  const int other = rank % 2 == 0 ? size / 2 : (size + 1) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  one_of_each(between,
              rank == 0       ? MPI_ROOT
              : rank % 2 == 0 ? MPI_PROC_NULL
                              : 0,
              rank == 0, other, "between groups");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);

  for (int i = 0; i < kShortLives; ++i) {
    MPI_Comm brief;
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 == 0 ? rank : -rank, &brief);
    int place = 0;
    MPI_Comm_rank(brief, &place);
    one_of_each(brief, 0, place == 0, size, "a short life");
    MPI_Comm_free(&brief);
  }
  PMPI_Allreduce(&wrong, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && failed == 0) puts("good");
  MPI_Finalize();
  return failed != 0;
}
