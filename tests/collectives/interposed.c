// SPDX-License-Identifier: BSD-3-Clause
//
// An MPI program like any other, which checks what its collectives give: run with and without
// libnmadtune-mpi.so in front. Prints "good" and ends with 0.
//
//   interposed [in-place]
//
// MPICH 4.0.2's own MPI_Reduce on one host crashes where the root reduces in place.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, wrong;

static void expect(int good, const char* what) {
  if (good) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

// Every second integer here, all together there: equal data by types that differ.
static void bcast_of_unlike_types(int root) {
  enum { kCount = 5000 };
  int* data = calloc(2 * kCount, sizeof *data);
  MPI_Datatype every_second;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  const int sparse = rank % 2 == 0;
  for (int i = 0; rank == root && i < kCount; ++i) data[sparse ? 2 * i : i] = i + root;
  if (sparse) {
    MPI_Bcast(data, 1, every_second, root, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(data, kCount, MPI_INT, root, MPI_COMM_WORLD);
  }
  int good = 1;
  for (int i = 0; i < kCount; ++i) good = good && data[sparse ? 2 * i : i] == i + root;
  for (int i = 0; sparse && i < kCount; ++i) good = good && data[2 * i + 1] == 0;
  expect(good, "Bcast of unlike types");
  MPI_Type_free(&every_second);
  free(data);
}

// Composition of maps x -> a x + b, which depends on the order.
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  long *first = in, *second = inout;
  for (int i = 0; i + 1 < *count; i += 2) {
    const long a = first[i] * second[i], b = second[i] * first[i + 1] + second[i + 1];
    second[i] = a % 1000003;
    second[i + 1] = b % 1000003;
  }
}

static void reduce_in_order(void) {
  enum { kCount = 3000 };
  static long own[kCount], result[kCount];
  long a = 1, b = 0;
  MPI_Op op;
  MPI_Op_create(compose, 0, &op);
  for (int i = 0; i < kCount; i += 2) {
    own[i] = rank + 2;
    own[i + 1] = rank + 1;
  }
  MPI_Allreduce(own, result, kCount, MPI_LONG, op, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) {
    a = a * (r + 2) % 1000003;
    b = ((r + 2) * b + r + 1) % 1000003;
  }
  expect(result[0] == a && result[1] == b && result[kCount - 2] == a, "order of a reduction");
  MPI_Op_free(&op);
}

static void reduce_in_place(int root) {
  enum { kCount = 4000 };
  static double own[kCount];
  for (int i = 0; i < kCount; ++i) own[i] = rank + i;
  if (rank == root) {
    MPI_Reduce(MPI_IN_PLACE, own, kCount, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    int good = 1;
    for (int i = 0; i < kCount; ++i) good = good && own[i] == size * (size - 1) / 2 + size * i;
    expect(good, "Reduce in place");
  } else {
    MPI_Reduce(own, NULL, kCount, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  }
}

// Block r of the sums begins at r * kCount, or at the sum of r + 1, r ... times 100.
static void reduce_scatter(int in_place) {
  enum { kCount = 1100 };
  int counts[64], all = 0, mine = 0, good = 1;
  for (int r = 0; r < size; ++r) {
    if (r == rank) mine = all;
    all += counts[r] = 100 * (r + 1);
  }
  const int most = all > kCount * size ? all : kCount * size;
  long* own = malloc(sizeof *own * (size_t)most);
  long* result = malloc(sizeof *own * (size_t)most);
  for (int i = 0; i < most; ++i) own[i] = result[i] = rank + i;
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : own, result, kCount, MPI_LONG, MPI_SUM,
                           MPI_COMM_WORLD);
  for (int i = 0; i < kCount; ++i) {
    good = good && result[i] == size * (size - 1) / 2 + (long)size * (rank * kCount + i);
  }
  expect(good, "Reduce_scatter_block");
  for (int i = 0; i < most; ++i) result[i] = rank + i;
  MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : own, result, counts, MPI_LONG, MPI_SUM,
                     MPI_COMM_WORLD);
  for (int i = 0; i < counts[rank]; ++i) {
    good = good && result[i] == size * (size - 1) / 2 + (long)size * (mine + i);
  }
  expect(good, "Reduce_scatter");
  // Nearly all is for one rank.
  for (int r = 0; r < size; ++r) counts[r] = r == 0 ? kCount * size - size + 1 : 1;
  MPI_Reduce_scatter(own, result, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const long first = rank == 0 ? 0 : counts[0] + rank - 1;
  expect(result[0] == size * (size - 1) / 2 + size * first, "Reduce_scatter for one rank");
  free(own);
  free(result);
}

static void allgather_in_place(MPI_Comm comm) {
  enum { kCount = 1500 };
  int self, ranks, good = 1;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  int* all = malloc(sizeof *all * (size_t)(kCount * ranks));
  for (int i = 0; i < kCount; ++i) all[self * kCount + i] = self * 7 + i;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, kCount, MPI_INT, comm);
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < kCount; ++i) good = good && all[r * kCount + i] == r * 7 + i;
  }
  expect(good, "Allgather in place");
  free(all);
}

// Rank r gives r + 1 times 300 integers; blocks follow each other, or lie apart in another order.
static void allgatherv(int apart, int in_place) {
  enum { kCount = 300 };
  int counts[64], places[64], next = 0, good = 1;
  const int distance = kCount * size + 7;
  int* own = malloc(sizeof *own * (size_t)(kCount * size));
  int* all = malloc(sizeof *all * (size_t)(distance * size));
  for (int r = 0; r < size; ++r) {
    counts[r] = kCount * (r + 1);
    places[r] = apart ? (size - 1 - r) * distance : next;
    next += counts[r];
  }
  for (int i = 0; i < distance * size; ++i) all[i] = -1;
  for (int i = 0; i < counts[rank]; ++i) own[i] = rank * 10000 + i;
  if (in_place) memcpy(all + places[rank], own, sizeof *own * (size_t)counts[rank]);
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : own, in_place ? 0 : counts[rank],
                 in_place ? MPI_DATATYPE_NULL : MPI_INT, all, counts, places, MPI_INT,
                 MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < counts[r]; ++i) good = good && all[places[r] + i] == r * 10000 + i;
    if (apart) good = good && all[places[r] + counts[r]] == -1;
  }
  expect(good, "Allgatherv");
  free(own);
  free(all);
}

// Every second integer is sent here and received there; block r has r among its numbers.
static void alltoall_of_unlike_types(void) {
  enum { kCount = 1500 };
  const int count = kCount * size;
  int* own = calloc(2 * (size_t)count, sizeof *own);
  int* all = calloc(2 * (size_t)count, sizeof *all);
  MPI_Datatype every_second;
  int good = 1;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &every_second);
  MPI_Datatype block;
  MPI_Type_create_resized(every_second, 0, 2 * kCount * (MPI_Aint)sizeof(int), &block);
  MPI_Type_commit(&block);
  const int sends = rank % 2 == 0 ? 2 : 1, receives = 3 - sends;
  for (int i = 0; i < count; ++i) own[sends * i] = rank * 1000000 + i;
  MPI_Alltoall(own, sends == 2 ? 1 : kCount, sends == 2 ? block : MPI_INT, all,
               receives == 2 ? 1 : kCount, receives == 2 ? block : MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    good = good && all[receives * i] == i / kCount * 1000000 + rank * kCount + i % kCount;
    good = good && (receives == 1 || all[2 * i + 1] == 0);
  }
  expect(good, "Alltoall of unlike types");
  MPI_Type_free(&every_second);
  MPI_Type_free(&block);
  free(own);
  free(all);
}

static void alltoall_in_place(MPI_Comm comm) {
  enum { kCount = 1200 };
  int self, ranks, good = 1;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  int* all = malloc(sizeof *all * (size_t)(kCount * ranks));
  for (int i = 0; i < kCount * ranks; ++i) all[i] = self * 100000 + i;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, kCount, MPI_INT, comm);
  for (int i = 0; i < kCount * ranks; ++i) {
    good = good && all[i] == i / kCount * 100000 + self * kCount + i % kCount;
  }
  expect(good, "Alltoall in place");
  free(all);
}

// What rank r has for rank s, in integers; the blocks follow each other, the last rank's first.
static int block_count(int from, int to) { return (from * 700 + to * 300) % 1700; }

// Every second integer is received on odd ranks.
static void alltoallv_of_unlike_types(void) {
  const int step = rank % 2 == 0 ? 1 : 2;
  int* counts = calloc(4 * (size_t)size, sizeof *counts);
  int *places = counts + size, *from_counts = places + size, *from_places = from_counts + size;
  int sends = 0, receives = 0, good = 1;
  for (int other = size - 1; other >= 0; --other) {
    counts[other] = block_count(rank, other);
    from_counts[other] = block_count(other, rank);
    places[other] = sends;
    from_places[other] = receives;
    sends += counts[other];
    receives += from_counts[other];
  }
  int* own = calloc((size_t)sends + 1, sizeof *own);
  int* all = calloc(2 * (size_t)receives + 1, sizeof *all);
  MPI_Datatype wide;
  MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &wide);
  MPI_Type_commit(&wide);
  for (int other = 0; other < size; ++other) {
    for (int i = 0; i < counts[other]; ++i) {
      own[places[other] + i] = rank * 1000000 + other * 10000 + i;
    }
  }
  MPI_Alltoallv(own, counts, places, MPI_INT, all, from_counts, from_places,
                step == 2 ? wide : MPI_INT, MPI_COMM_WORLD);
  for (int other = 0; other < size; ++other) {
    for (int i = 0; i < from_counts[other]; ++i) {
      const int* found = all + step * (from_places[other] + i);
      good = good && *found == other * 1000000 + rank * 10000 + i && (step == 1 || found[1] == 0);
    }
  }
  expect(good, "Alltoallv of unlike types");
  MPI_Type_free(&wide);
  free(counts);
  free(own);
  free(all);
}

static void alltoallv_in_place(MPI_Comm comm) {
  enum { kCount = 1200 };
  int self, ranks, good = 1;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  int* counts = malloc(sizeof *counts * 2 * (size_t)ranks);
  int* all = malloc(sizeof *all * (size_t)(kCount * ranks));
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (self + r) * 200 % kCount;
    counts[ranks + r] = r * kCount;
  }
  for (int i = 0; i < kCount * ranks; ++i) all[i] = self * 100000 + i;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, all, counts, counts + ranks, MPI_INT,
                comm);
  for (int i = 0; i < kCount * ranks; ++i) {
    const int r = i / kCount, at = i % kCount;
    good = good && all[i] == (at < counts[r] ? r * 100000 + self * kCount + at : self * 100000 + i);
  }
  expect(good, "Alltoallv in place");
  free(counts);
  free(all);
}

// Every second integer is sent by odd ranks, and received by an odd root. What does not count is
// wrong on all ranks but the root.
static void gather_and_scatter(int root) {
  enum { kCount = 1300 };
  const int step = rank % 2 + 1, is_root = rank == root;
  const size_t all_count = (size_t)kCount * (size_t)size;
  int* own = calloc(2 * kCount, sizeof *own);
  int* all = calloc(2 * all_count, sizeof *all);
  MPI_Datatype wide;
  int good = 1;
  MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &wide);
  MPI_Type_commit(&wide);
  const MPI_Datatype type = step == 2 ? wide : MPI_INT;
  for (int i = 0; i < kCount; ++i) own[step * i] = rank * 10000 + i;
  MPI_Gather(own, kCount, type, is_root ? all : NULL, is_root ? kCount : -1,
             is_root ? type : MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
  for (size_t i = 0; is_root && i < all_count; ++i) {
    good = good && all[(size_t)step * i] == (int)(i / kCount) * 10000 + (int)(i % kCount);
    good = good && (step == 1 || all[2 * i + 1] == 0);
  }
  expect(good, "Gather of unlike types");
  memset(own, 0, 2 * kCount * sizeof *own);
  MPI_Scatter(is_root ? all : NULL, is_root ? kCount : -1, is_root ? type : MPI_DATATYPE_NULL, own,
              kCount, type, root, MPI_COMM_WORLD);
  for (int i = 0; i < kCount; ++i) good = good && own[step * i] == rank * 10000 + i;
  expect(good, "Scatter of unlike types");
  MPI_Type_free(&wide);
  free(own);
  free(all);
}

static void gather_and_scatter_in_place(MPI_Comm comm, int root) {
  enum { kCount = 1400 };
  int self, ranks, good = 1;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &ranks);
  int* all = malloc(sizeof *all * (size_t)(kCount * ranks));
  for (int i = 0; i < kCount; ++i) all[(self == root ? root * kCount : 0) + i] = self * 7 + i;
  if (self == root) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, kCount, MPI_INT, root, comm);
    for (int i = 0; i < kCount * ranks; ++i) {
      good = good && all[i] == i / kCount * 7 + i % kCount;
      all[i] += 1;
    }
    MPI_Scatter(all, kCount, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, comm);
  } else {
    MPI_Gather(all, kCount, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, comm);
    MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, all, kCount, MPI_INT, root, comm);
    for (int i = 0; i < kCount; ++i) good = good && all[i] == self * 7 + i + 1;
  }
  expect(good, "Gather and Scatter in place");
  free(all);
}

static double now(void) {
  struct timespec read;
  clock_gettime(CLOCK_MONOTONIC, &read);
  return (double)read.tv_sec + 1e-9 * (double)read.tv_nsec;
}

// All ranks are on one machine, and another one is late each time.
static void barriers(void) {
  for (int i = 0; i < 10; ++i) {
    double last = 0;
    if (i % size == rank) usleep(2000);
    const double came = now();
    MPI_Barrier(MPI_COMM_WORLD);
    const double left = now();
    PMPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    expect(left >= last, "Barrier");
  }
  MPI_Barrier(MPI_COMM_SELF);
}

// Communicators that come and go, one of them between groups.
static void other_communicators(void) {
  for (int i = 0; i < 5; ++i) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    allgather_in_place(half);
    alltoall_in_place(half);
    alltoallv_in_place(half);
    gather_and_scatter_in_place(half, 0);
    MPI_Comm_free(&half);
  }
  if (size < 2) return;
  MPI_Comm half, between;
  int sum = 0, expected = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between);
  MPI_Barrier(between);
  // From the ranks of one side to the first of the other.
  int first = -1;
  const int root = rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  int odd[64] = {0};
  MPI_Gather(&rank, 1, MPI_INT, odd, 1, MPI_INT, root, between);
  MPI_Scatter(odd, 1, MPI_INT, &first, 1, MPI_INT, root, between);
  expect(rank % 2 == 0 || first == rank, "Gather and Scatter between groups");
  for (int r = 1 - rank % 2; r < size; r += 2) expected += r;
  expect(sum == expected, "Allreduce between groups");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

// What was sent before a collective is on its way while its sender waits there for others.
static void message_across_a_bcast(void) {
  enum { kBytes = 4 << 20 };
  char* bytes = calloc(kBytes, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (size > 1 && rank == 0)
    MPI_Isend(bytes, kBytes, MPI_BYTE, size - 1, 9, MPI_COMM_WORLD, &request);
  if (size > 1 && rank == size - 1) {
    MPI_Recv(bytes, kBytes, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  int word[4000] = {rank == 0 ? 42 : 0};
  MPI_Bcast(word, 4000, MPI_INT, 0, MPI_COMM_WORLD);
  expect(word[0] == 42, "Bcast after a message");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(bytes);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int root = 0; root < size; ++root) bcast_of_unlike_types(root);
  for (int root = 0; argc > 1 && root < size; ++root) reduce_in_place(root);
  reduce_in_order();
  reduce_scatter(0);
  if (argc > 1) reduce_scatter(1);
  allgather_in_place(MPI_COMM_WORLD);
  for (int way = 0; way < 4; ++way) allgatherv(way / 2, way % 2);
  alltoall_of_unlike_types();
  alltoall_in_place(MPI_COMM_WORLD);
  alltoall_in_place(MPI_COMM_SELF);
  alltoallv_of_unlike_types();
  alltoallv_in_place(MPI_COMM_WORLD);
  alltoallv_in_place(MPI_COMM_SELF);
  for (int root = 0; root < size; ++root) {
    gather_and_scatter(root);
    gather_and_scatter_in_place(MPI_COMM_WORLD, root);
  }
  barriers();
  other_communicators();
  message_across_a_bcast();
  MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
  int all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("good");
  MPI_Finalize();
  return all != 0;
}
