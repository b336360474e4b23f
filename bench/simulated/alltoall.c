// SPDX-License-Identifier: BSD-3-Clause
//
// The alltoalls of a campaign (sampler/job/alltoall.h), in plain C: what nmad-sample's module for
// an MPI does, under an MPI that runs no C++ of ours, as SimGrid's. For mpicc and for smpicc.
//
//   alltoall direct|library REPETITIONS SIZE...
//   alltoall flows PASSES SIZE
//
// Prints, as CSV for `nmad-tune import-alltoall`, the alltoalls of all ranks, from the first start
// to the last end, and after them the messages alone, from rank 0 to the other ranks in turn. Ranks
// share one clock: simulated ones do, and those of one machine.
//
// flows: messages between nodes, alone and beside others (sampler/job/flows.h), as CSV too.
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
#define MPI_Testany(count, requests, which, done, status) \
  (*(done) = 1, MPI_Waitany(count, requests, which, status))
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

enum { kMessages = 8, kStartNs = 10000000, kAloneShifts = 3 };

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

typedef struct flows {
  const nmt_mpi_table* mpi;
  int ranks, round;
  int* order;        // of the ranks
  char* names;       // of their hosts, MPI_MAX_PROCESSOR_NAME each
  double* times_ns;  // of the messages to them
  void *from, *to;
  uint64_t size_bytes;
} flows;

static double time_now(void* context) {
  (void)context;
  return now_ns();
}

// A round: from each rank, or from the one at place `alone` of the order, to the one `shift` places
// after it.
static void run_flows(flows* all, int shift, int alone) {
  const int self = all->mpi->rank(), n = all->ranks;
  int to = -1, from = -1;
  for (int i = 0; i < n; ++i) {
    if (alone >= 0 && alone != i) continue;
    const int near = all->order[i], far = all->order[(i + shift) % n];
    if (near == self) to = far;
    if (far == self) from = near;
  }
  start_together(all->mpi);
  const double start_ns = now_ns();
  double end_ns = start_ns;
  all->mpi->flood(&to, to >= 0, &from, from >= 0, all->from, all->to, all->size_bytes, time_now,
                  NULL, &end_ns);
  const double took_ns = end_ns - start_ns;
  all->mpi->gather(&took_ns, all->times_ns, sizeof took_ns);
  for (int i = 0; self == 0 && i < n; ++i) {
    if (alone >= 0 && alone != i) continue;
    const int near = all->order[i], far = all->order[(i + shift) % n];
    printf("%d,%s,%s,%.0f\n", all->round, all->names + near * MPI_MAX_PROCESSOR_NAME,
           all->names + far * MPI_MAX_PROCESSOR_NAME, all->times_ns[far]);
  }
  ++all->round;
}

// The same on all ranks.
static void shuffle(int* order, int count, unsigned* state) {
  for (int i = count - 1; i > 0; --i) {
    *state = *state * 1664525u + 1013904223u;
    const int j = (int)((*state >> 8) % (unsigned)(i + 1)), swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
}

static void measure_flows(const nmt_mpi_table* mpi, int passes, uint64_t size_bytes) {
  const int n = mpi->size();
  flows all = {.mpi = mpi, .ranks = n, .size_bytes = size_bytes};
  all.order = malloc((size_t)n * sizeof *all.order);
  all.names = malloc((size_t)n * MPI_MAX_PROCESSOR_NAME);
  all.times_ns = malloc((size_t)n * sizeof *all.times_ns);
  all.from = malloc(size_bytes);
  all.to = malloc(size_bytes);
  if (!all.order || !all.names || !all.times_ns || !all.from || !all.to) mpi->abort(1);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  mpi->gather(name, all.names, sizeof name);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) all.order[i] = i;
  shuffle(all.order, n, &state);
  if (mpi->rank() == 0) printf("round,from,to,time_ns\n");
  for (int shift = 1; shift <= kAloneShifts; ++shift) {
    for (int i = 0; i < n; ++i) run_flows(&all, shift, i);
  }
  for (int pass = 0; pass < passes; ++pass) {
    shuffle(all.order, n, &state);
    for (int shift = 1; shift < n; ++shift) run_flows(&all, shift, -1);
  }
  free(all.order);
  free(all.names);
  free(all.times_ns);
  free(all.from);
  free(all.to);
}

int main(int argc, char** argv) {
  const nmt_mpi_table* mpi = nmt_mpi_module();
  const int flows_only = argc == 4 && strcmp(argv[1], "flows") == 0;
  if (argc < 4 ||
      (!flows_only && strcmp(argv[1], "direct") != 0 && strcmp(argv[1], "library") != 0)) {
    fprintf(stderr, "Usage: alltoall direct|library REPETITIONS SIZE... | flows PASSES SIZE\n");
    return 2;
  }
  mpi->start();
  if (flows_only) {
    measure_flows(mpi, atoi(argv[2]), strtoull(argv[3], NULL, 10));
    mpi->finish();
    return 0;
  }
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
