// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that some ranks call by functions that count in int and others by those that count in
// MPI_Count, and persistent ones. Prints "good", or "no large counts" where the MPI has none.
#include <mpi.h>
#include <stdio.h>

enum { kCount = 5000, kRanksMax = 8 };
static int own[kCount], all[kCount * kRanksMax];

#if MPI_VERSION >= 4
static int for_all[kCount * kRanksMax];
static int rank, size, wrong;

static void expect(int good, const char* what) {
  if (good) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

static void fill(int from) {
  for (int i = 0; i < kCount; ++i) own[i] = from + i;
}

static int equals(const int* data, int from, int step) {
  for (int i = 0; i < kCount; ++i) {
    if (data[i] != from + step * i) return 0;
  }
  return 1;
}

static void bcast(int by_large, int root) {
  fill(rank == root ? root : -9);
  if (by_large) {
    MPI_Bcast_c(own, kCount, MPI_INT, root, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(own, kCount, MPI_INT, root, MPI_COMM_WORLD);
  }
  expect(equals(own, root, 1), "Bcast");
}

static void reduce(int by_large, int root) {
  fill(rank);
  if (by_large) {
    MPI_Reduce_c(own, all, kCount, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  } else {
    MPI_Reduce(own, all, kCount, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  }
  if (rank == root) expect(equals(all, size * (size - 1) / 2, size), "Reduce");
}

static void allreduce(int by_large) {
  fill(rank);
  if (by_large) {
    MPI_Allreduce_c(own, all, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(own, all, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  expect(equals(all, size * (size - 1) / 2, size), "Allreduce");
}

static void allgather(int by_large) {
  fill(rank);
  if (by_large) {
    MPI_Allgather_c(own, kCount, MPI_INT, all, kCount, MPI_INT, MPI_COMM_WORLD);
  } else {
    MPI_Allgather(own, kCount, MPI_INT, all, kCount, MPI_INT, MPI_COMM_WORLD);
  }
  for (int r = 0; r < size; ++r) expect(equals(all + r * kCount, r, 1), "Allgather");
}

static void alltoall(int by_large) {
  for (int i = 0; i < kCount * size; ++i) for_all[i] = rank + 10 * (i / kCount) + i % kCount;
  if (by_large) {
    MPI_Alltoall_c(for_all, kCount, MPI_INT, all, kCount, MPI_INT, MPI_COMM_WORLD);
  } else {
    MPI_Alltoall(for_all, kCount, MPI_INT, all, kCount, MPI_INT, MPI_COMM_WORLD);
  }
  for (int r = 0; r < size; ++r) expect(equals(all + r * kCount, r + 10 * rank, 1), "Alltoall");
}

static void alltoallv(int by_large) {
  MPI_Count counts[kRanksMax];
  MPI_Aint places[kRanksMax];
  int small_counts[kRanksMax], small_places[kRanksMax], good = 1;
  for (int r = 0; r < size; ++r) {
    counts[r] = small_counts[r] = kCount - 5 * (r + rank);
    places[r] = small_places[r] = kCount * r;
  }
  for (int i = 0; i < kCount * size; ++i) for_all[i] = 7 * rank + i, all[i] = -1;
  if (by_large) {
    MPI_Alltoallv_c(for_all, counts, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  } else {
    MPI_Alltoallv(for_all, small_counts, small_places, MPI_INT, all, small_counts, small_places,
                  MPI_INT, MPI_COMM_WORLD);
  }
  for (int i = 0; i < kCount * size; ++i) {
    const int r = i / kCount, at = i % kCount;
    good = good && all[i] == (at < small_counts[r] ? 7 * r + kCount * rank + at : -1);
  }
  expect(good, "Alltoallv");
}

static void gather_and_scatter(int by_large, int root) {
  fill(rank);
  if (by_large) {
    MPI_Gather_c(own, kCount, MPI_INT, for_all, kCount, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter_c(for_all, kCount, MPI_INT, all, kCount, MPI_INT, root, MPI_COMM_WORLD);
  } else {
    MPI_Gather(own, kCount, MPI_INT, for_all, kCount, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter(for_all, kCount, MPI_INT, all, kCount, MPI_INT, root, MPI_COMM_WORLD);
  }
  expect(equals(all, rank, 1), "Gather and Scatter");
  for (int r = 0; rank == root && r < size; ++r)
    expect(equals(for_all + r * kCount, r, 1), "Gather");
}

static void reduce_scatter(int by_large) {
  MPI_Count counts[kRanksMax];
  int small_counts[kRanksMax];
  for (int r = 0; r < size; ++r) counts[r] = small_counts[r] = kCount;
  for (int i = 0; i < kCount * size; ++i) for_all[i] = rank + i;
  if (by_large) {
    MPI_Reduce_scatter_block_c(for_all, all, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_c(for_all, own, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Reduce_scatter_block(for_all, all, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(for_all, own, small_counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  const int first = size * (size - 1) / 2 + size * rank * kCount;
  expect(equals(all, first, size) && equals(own, first, size), "Reduce_scatter");
}

static void allgatherv(int by_large) {
  MPI_Count counts[kRanksMax];
  MPI_Aint places[kRanksMax];
  int small_counts[kRanksMax], small_places[kRanksMax];
  for (int r = 0; r < size; ++r) {
    counts[r] = small_counts[r] = kCount - 5 * r;
    places[r] = small_places[r] = kCount * r;
  }
  fill(rank);
  for (int i = 0; i < kCount * size; ++i) all[i] = -1;
  if (by_large) {
    MPI_Allgatherv_c(own, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  } else {
    MPI_Allgatherv(own, small_counts[rank], MPI_INT, all, small_counts, small_places, MPI_INT,
                   MPI_COMM_WORLD);
  }
  for (int i = 0; i < kCount * size; ++i) {
    const int r = i / kCount, at = i % kCount;
    expect(all[i] == (at < small_counts[r] ? r + at : -1), "Allgatherv");
  }
}

static void persistent(void) {
  MPI_Request request;
  MPI_Bcast_init(own, kCount, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 2; ++turn) {
    fill(rank == 0 ? turn : -9);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(equals(own, turn, 1), "persistent Bcast");
  }
  MPI_Request_free(&request);
}

static int run(void) {
  int sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int turn = 0; turn < 2; ++turn) {
    const int by_large = (rank + turn) % 2;
    bcast(by_large, turn);
    reduce(by_large, turn);
    allreduce(by_large);
    allgather(by_large);
    alltoall(by_large);
    alltoallv(by_large);
    gather_and_scatter(by_large, turn);
    reduce_scatter(by_large);
    allgatherv(by_large);
    persistent();
  }
  PMPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && sum == 0) puts("good");
  return sum != 0;
}
#else
static int run(void) {
  int rank;
  (void)own;
  (void)all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) puts("no large counts");
  return 0;
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = run();
  MPI_Finalize();
  return result;
}
