// SPDX-License-Identifier: BSD-3-Clause
//
// A program whose first call of its MPI is one of several: run with libnmadtune-mpi.so in front of
// some of its ranks only. A rank that gets anything but what was sent says "wrong".
//
//   first_call bcast | allgather | iallgather | dup | receive
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kRanksMax = 8 };
static const uint64_t kValue = 1000000007;  // were it a count, there would be no memory for it

static int rank, size;

static int bcast(void) {
  uint64_t value = rank == 0 ? kValue : 0;
  MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return value == kValue;
}

static int is_all(const uint64_t* all) {
  for (int i = 0; i < 2 * size; ++i) {
    if (all[i] != kValue) return 0;
  }
  return 1;
}

// Of more bytes than libnmadtune-mpi.so sends first, and of fewer than it sends next.
static int allgather(int blocking) {
  const uint64_t own[2] = {kValue, kValue};
  uint64_t all[2 * kRanksMax] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  if (blocking) {
    MPI_Allgather(own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, MPI_COMM_WORLD);
  } else {
    MPI_Iallgather(own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!is_all(all)) sleep(2);  // whoever saw it ends the job, at once
  }
  return is_all(all);
}

static int duplicate(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
  return bcast();
}

// Whatever comes must be a message of the program.
static int receive(void) {
  uint64_t value = kValue;
  if (rank == 0) {
    for (int to = 1; to < size; ++to) MPI_Send(&value, 1, MPI_UINT64_T, to, 3, MPI_COMM_WORLD);
    return 1;
  }
  value = 0;
  MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value == kValue;
}

int main(int argc, char** argv) {
  const char* first = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = strcmp(first, "bcast") == 0        ? bcast()
                    : strcmp(first, "allgather") == 0  ? allgather(1)
                    : strcmp(first, "iallgather") == 0 ? allgather(0)
                    : strcmp(first, "dup") == 0        ? duplicate()
                                                       : receive();
  printf("%s\n", right ? "right" : "wrong");
  fflush(stdout);
  MPI_Finalize();
  return !right;
}
