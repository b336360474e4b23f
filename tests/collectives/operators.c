// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions by operations of the program's own: one that commutes, and one that does not. Each of
// four collectives has both. Prints "good" and ends with 0.
#include <mpi.h>
#include <stdio.h>

enum { kCount = 3000, kRanksMax = 8, kPrime = 1000003 };

static int rank, size, wrong;

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  long *first = in, *second = inout;
  for (int i = 0; i < *count; ++i) second[i] = first[i] * second[i] % kPrime;
}

// What the lower ranks have given stays.
static void keep_first(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  long *first = in, *second = inout;
  for (int i = 0; i < *count; ++i) second[i] = first[i];
}

static long own_of(int of) { return of + 2; }

static long expected(int commutes) {
  long result = own_of(0);
  for (int r = 1; commutes && r < size; ++r) result = result * own_of(r) % kPrime;
  return result;
}

static void expect_all(const long* result, int count, int commutes, const char* what) {
  for (int i = 0; i < count; ++i) {
    if (result[i] == expected(commutes)) continue;
    fprintf(stderr, "rank %d: %s, %s: element %d is %ld, not %ld\n", rank, what,
            commutes ? "commutes" : "does not commute", i, result[i], expected(commutes));
    ++wrong;
    return;
  }
}

static void reduce_by(MPI_Op op, int commutes) {
  static long own[kCount * kRanksMax], result[kCount * kRanksMax];
  int counts[kRanksMax];
  for (int i = 0; i < kCount * size; ++i) own[i] = own_of(rank);
  for (int r = 0; r < size; ++r) counts[r] = kCount - r;
  MPI_Reduce(own, result, kCount, MPI_LONG, op, size - 1, MPI_COMM_WORLD);
  if (rank == size - 1) expect_all(result, kCount, commutes, "Reduce");
  MPI_Allreduce(own, result, kCount, MPI_LONG, op, MPI_COMM_WORLD);
  expect_all(result, kCount, commutes, "Allreduce");
  MPI_Reduce_scatter_block(own, result, kCount, MPI_LONG, op, MPI_COMM_WORLD);
  expect_all(result, kCount, commutes, "Reduce_scatter_block");
  MPI_Reduce_scatter(own, result, counts, MPI_LONG, op, MPI_COMM_WORLD);
  expect_all(result, counts[rank], commutes, "Reduce_scatter");
}

int main(int argc, char** argv) {
  MPI_Op commuting, ordered;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kRanksMax) return 2;
  MPI_Op_create(multiply, 1, &commuting);
  MPI_Op_create(keep_first, 0, &ordered);
  reduce_by(commuting, 1);
  reduce_by(ordered, 0);
  MPI_Op_free(&commuting);
  MPI_Op_free(&ordered);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && wrong == 0) puts("good");
  MPI_Finalize();
  return wrong != 0;
}
