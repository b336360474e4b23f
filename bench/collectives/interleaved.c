// SPDX-License-Identifier: BSD-3-Clause
//
// One collective in several ways, by turns in one run: by libnmadtune-mpi.so and by the MPI's own.
//
//   interleaved LIBRARY OPERATION SIZE REPETITIONS ROOT WAY...
//
// A way is ALGORITHM:SEGMENT or "library"; the root a rank, or "rotating". Rank 0 prints medians in
// milliseconds, in order of the ways, from the common start of each repetition to the last rank's
// end. All hosts of a lab have one clock, by which the start is set: ranks leave a barrier one
// after the other, later where it crosses the network more often, and that is not what is asked.
// Nor is what ranks say about their times, and look for, while others are still at work: it costs
// more where neighbors by rank are on different hosts. So they rest first, for as long as it may
// take.
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collectives/collectives.h"

static int (*play)(const nmt_collective_play*);

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sleep_until(int64_t time_ns) {
  const struct timespec time = {time_ns / 1000000000, time_ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static int64_t latest(int64_t own_ns) {
  int64_t latest_ns = 0;
  MPI_Allreduce(&own_ns, &latest_ns, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return latest_ns;
}

// Lets the MPI send what it may still have to, as a program would that calls it now and then.
static void rest_until(int64_t time_ns) {
  enum { kNapNs = 500000 };
  int there = 0;
  while (now_ns() < time_ns) {
    sleep_until(now_ns() + kNapNs < time_ns ? now_ns() + kNapNs : time_ns);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  }
}

// Of all ranks together, in milliseconds; `longest_ns` is that of this way until now.
static double time_of(const nmt_collective_play* order, int64_t* longest_ns) {
  enum { kAllKnowNs = 3000000 };  // by then all ranks have heard when to start
  const int64_t start_ns = latest(now_ns()) + kAllKnowNs;
  sleep_until(start_ns);
  if (play(order) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  const int64_t end_ns = now_ns();
  rest_until(start_ns + 2 * *longest_ns);
  const int64_t took_ns = latest(end_ns) - start_ns;
  if (took_ns > *longest_ns) *longest_ns = took_ns;
  return (double)took_ns / 1e6;
}

static int ascending(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

static double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

static void leave_now(int signal) {
  (void)signal;
  _exit(0);
}

// "chain:65536" into both parts of an order.
static void set_way(nmt_collective_play* order, char* way) {
  char* colon = strchr(way, ':');
  order->segment_bytes = colon == NULL ? 0 : strtoull(colon + 1, NULL, 10);
  if (colon != NULL) *colon = '\0';
  order->algorithm = way;
}

int main(int argc, char** argv) {
  enum { kLibrary = 1, kOperation, kSize, kRepetitions, kRoot, kWays };
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void* library = argc > kWays ? dlopen(argv[kLibrary], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library != NULL) *(void**)&play = dlsym(library, NMT_COLLECTIVES_SYMBOL);
  if (play == NULL) {
    fprintf(stderr, "interleaved: %s\n", argc > kWays ? dlerror() : "six arguments or more");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const uint64_t bytes = strtoull(argv[kSize], NULL, 10);
  const int count = atoi(argv[kRepetitions]), ways = argc - kWays, warm_ups = 2;
  const int rotates = strcmp(argv[kRoot], "rotating") == 0;
  char* from = calloc(1, bytes);
  char* to = calloc((size_t)ranks, bytes);
  double* times_ms = malloc(sizeof *times_ms * (size_t)count * (size_t)ways);
  int64_t* longest_ns = calloc((size_t)ways, sizeof *longest_ns);
  nmt_collective_play* orders = calloc((size_t)ways, sizeof *orders);
  if (!from || !to || !times_ms || !longest_ns || !orders) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < ways; ++i) {
    orders[i] = (nmt_collective_play){.struct_bytes = sizeof *orders,
                                      .root = atoi(argv[kRoot]),
                                      .operation = argv[kOperation],
                                      .size_bytes = bytes,
                                      .from = from,
                                      .to = to};
    set_way(&orders[i], argv[kWays + i]);
  }
  for (int turn = -warm_ups; turn < count; ++turn) {
    for (int place = 0; place < ways; ++place) {
      const int i = (place + turn + warm_ups) % ways;  // none rests after the same one always
      if (rotates) orders[i].root = (turn + warm_ups) % ranks;
      const double ms = time_of(&orders[i], &longest_ns[i]);
      if (turn >= 0) times_ms[i * count + turn] = ms;
    }
  }
  for (int i = 0; rank == 0 && i < ways; ++i) {
    printf("%.4f%c", median(times_ms + i * count, count), i + 1 < ways ? ' ' : '\n');
  }
  fflush(stdout);
  signal(SIGALRM, leave_now);  // MPICH over UCX's TCP may hang in MPI_Finalize
  alarm(5);
  MPI_Finalize();
  return 0;
}
