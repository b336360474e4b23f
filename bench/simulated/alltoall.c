// SPDX-License-Identifier: BSD-3-Clause
//
// The alltoalls of a campaign (sampler/job/alltoall.h), in plain C: what nmad-sample's module for
// an MPI does, under an MPI that runs no C++ of ours, as SimGrid's. For mpicc and for smpicc.
//
//   alltoall direct|library REPETITIONS SIZE...
//
// Prints, as CSV for `nmad-tune import-alltoall`, the alltoalls of all ranks, from the first start
// to the last end, and after them the messages alone, from rank 0 to the other ranks in turn. Ranks
// share one clock: simulated ones do, and those of one machine.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// SimGrid's smpicc. Each look at a request takes simulated time there, and the thousands of looks
// of a long wait real time; so a look lasts until the request is done. What is collective and does
// not block is a message from each to each there, and takes longer than all that is measured.
// Buffers of all ranks are folded into the same memory.
#ifdef SMPI_SHARED_MALLOC
#include "bench/simulated/no_tools.h"
#define MPI_Test(request, done, status) (*(done) = 1, MPI_Wait(request, status))
#define MPI_Ibarrier(group, request) (*(request) = MPI_REQUEST_NULL, MPI_Barrier(group))
#define MPI_Iallreduce(from, to, count, type, op, group, request) \
  (*(request) = MPI_REQUEST_NULL, MPI_Allreduce(from, to, count, type, op, group))
#define ALLOCATE SMPI_SHARED_MALLOC
#define RELEASE SMPI_SHARED_FREE
#else
#define ALLOCATE malloc
#define RELEASE free
#endif

#include "control/mpi/module.c"

enum { kMessages = 8, kStartNs = 10000000 };

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// All ranks return at the same time, when the last of them has heard of it.
static void start_together(const nmt_mpi_table* mpi) {
  double first_ns = now_ns(), last_ns = first_ns;
  mpi->least_and_most(0, &first_ns, &last_ns);
  const double left_ns = last_ns + kStartNs - now_ns();
  if (left_ns <= 0) return;
  const struct timespec nap = {.tv_nsec = (long)left_ns};
  nanosleep(&nap, NULL);
}

static double alltoall_ns(const nmt_mpi_table* mpi, const char* algorithm, const void* from,
                          void* to, uint64_t size_bytes) {
  start_together(mpi);
  double start_ns = now_ns();
  (strcmp(algorithm, "direct") == 0 ? mpi->exchange : mpi->alltoall)(0, from, to, size_bytes);
  double end_ns = now_ns();
  mpi->least_and_most(0, &start_ns, &end_ns);
  return end_ns - start_ns;
}

// Half of there and back.
static double message_ns(const nmt_mpi_table* mpi, int partner, const void* from, void* to,
                         uint64_t size_bytes) {
  const int self = mpi->rank();
  mpi->barrier(0);
  if (self != 0 && self != partner) return 0;
  const double start_ns = now_ns();
  if (self == 0) mpi->send(from, size_bytes, partner);
  mpi->receive(to, size_bytes, partner - self);
  if (self != 0) mpi->send(from, size_bytes, 0);
  return (now_ns() - start_ns) / 2;
}

int main(int argc, char** argv) {
  const nmt_mpi_table* mpi = nmt_mpi_module();
  if (argc < 4 || (strcmp(argv[1], "direct") != 0 && strcmp(argv[1], "library") != 0)) {
    fprintf(stderr, "Usage: alltoall direct|library REPETITIONS SIZE...\n");
    return 2;
  }
  mpi->start();
  const int repetitions = atoi(argv[2]), ranks = mpi->size();
  if (ranks < 2) {
    fprintf(stderr, "alltoall: one rank only\n");
    mpi->abort(2);
  }
  uint64_t largest_bytes = 0;
  for (int i = 3; i < argc; ++i) {
    const uint64_t size_bytes = strtoull(argv[i], NULL, 10);
    if (size_bytes > largest_bytes) largest_bytes = size_bytes;
  }
  void* from = ALLOCATE(largest_bytes * (uint64_t)ranks);
  void* to = ALLOCATE(largest_bytes * (uint64_t)ranks);
  if (from == NULL || to == NULL) mpi->abort(1);

  // Connections are made by their first use.
  alltoall_ns(mpi, argv[1], from, to, strtoull(argv[3], NULL, 10));
  if (mpi->rank() == 0) printf("n,m_bytes,time_ns,rep\n");
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int i = 3; i < argc; ++i) {
      const uint64_t size_bytes = strtoull(argv[i], NULL, 10);
      const double took_ns = alltoall_ns(mpi, argv[1], from, to, size_bytes);
      if (mpi->rank() == 0) printf("%d,%s,%.0f,%d\n", ranks, argv[i], took_ns, repetition);
    }
  }
  if (mpi->rank() == 0) printf("m_bytes,time_ns,rep\n");
  for (int repetition = 0; repetition < kMessages; ++repetition) {
    const int partner = 1 + repetition * (ranks - 1) / kMessages;
    for (int i = 3; i < argc; ++i) {
      const double took_ns = message_ns(mpi, partner, from, to, strtoull(argv[i], NULL, 10));
      if (mpi->rank() == 0) printf("%s,%.0f,%d\n", argv[i], took_ns, repetition);
    }
  }
  RELEASE(from);
  RELEASE(to);
  mpi->finish();
  return 0;
}
