// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in several ways each, by turns in one run: by libnmadtune-mpi.so and by the MPI's
// own.
//
//   interleaved [--print minima|times] LIBRARY REPETITIONS[/SECONDS] ROOT
//               OPERATION:BYTES WAY... [OPERATION:BYTES WAY...]...
//
// A way is ALGORITHM/SEGMENT or "library"; the algorithm "library:NAME" is one of the MPI's. The
// root is a rank, or "rotating". After so many seconds in its calls, a collective is not repeated
// any more, once it has been five times. Rank 0 prints a line for each collective: medians in
// milliseconds, in order of the ways (common_start.h); or minima; or the times of all calls, with a
// slash between two ways.
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/collectives/common_start.h"
#include "collectives/collectives.h"

static int (*play)(const nmt_collective_play*);

static void play_one(const void* order) {
  if (play(order) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void leave_now(int signal) {
  (void)signal;
  _exit(0);
}

// The number behind the separator, which ends the text before it; 0 where there is none.
static uint64_t cut_number(char* text, char separator) {
  char* found = strchr(text, separator);
  if (found == NULL) return 0;
  *found = '\0';
  return strtoull(found + 1, NULL, 10);
}

// Whether it is an OPERATION:BYTES. In a way, other text than a number follows a colon.
static int is_collective(const char* word) {
  const char* colon = strchr(word, ':');
  return colon != NULL && colon[1] != '\0' && colon[1 + strspn(colon + 1, "0123456789")] == '\0';
}

static void* zeros(size_t count, size_t each_bytes) {
  void* there = calloc(count, each_bytes);
  if (there == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return there;
}

typedef struct Measuring {
  int repetitions;
  double ms_max;  // of calls of one collective; 0: any
  const char* root;
  const char* print;  // "medians", "minima" or "times"
} Measuring;

static double least(const double* times, int count) {
  double least = times[0];
  for (int i = 1; i < count; ++i) least = times[i] < least ? times[i] : least;
  return least;
}

static void print_way(double* times_ms, int count, const char* what) {
  if (strcmp(what, "times") == 0) {
    for (int i = 0; i < count; ++i) printf(i == 0 ? "%.4f" : " %.4f", times_ms[i]);
  } else {
    const int minima = strcmp(what, "minima") == 0;
    printf("%.4f", minima ? least(times_ms, count) : median(times_ms, count));
  }
}

// All ways of one collective, and a line of what they took.
static void measure(char* collective, char** ways, int count, Measuring how) {
  enum { kWarmUps = 1, kLeast = 5 };
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const uint64_t bytes = cut_number(collective, ':');
  const int rotates = strcmp(how.root, "rotating") == 0;
  char* from = zeros((size_t)ranks, bytes);
  char* to = zeros((size_t)ranks, bytes);
  double* times_ms = zeros((size_t)how.repetitions * (size_t)count, sizeof *times_ms);
  int64_t* longest_ns = zeros((size_t)count, sizeof *longest_ns);
  nmt_collective_play* orders = zeros((size_t)count, sizeof *orders);
  for (int i = 0; i < count; ++i) {
    orders[i] = (nmt_collective_play){.struct_bytes = sizeof *orders,
                                      .root = atoi(how.root),
                                      .operation = collective,
                                      .size_bytes = bytes,
                                      .from = from,
                                      .to = to};
    orders[i].segment_bytes = cut_number(ways[i], '/');
    orders[i].algorithm = ways[i];
  }
  double spent_ms = 0;  // the same on all ranks, as all times are
  int turn = -kWarmUps;
  for (; turn < how.repetitions; ++turn) {
    if (turn >= kLeast && how.ms_max > 0 && spent_ms > how.ms_max) break;
    for (int place = 0; place < count; ++place) {
      const int i = (place + turn + kWarmUps) % count;  // none rests after the same one always
      if (rotates) orders[i].root = (turn + kWarmUps) % ranks;
      const double ms = time_of(play_one, &orders[i], &longest_ns[i]);
      spent_ms += ms;
      if (turn >= 0) times_ms[i * how.repetitions + turn] = ms;
    }
  }
  for (int i = 0; rank == 0 && i < count; ++i) {
    if (i > 0) fputs(strcmp(how.print, "times") == 0 ? " / " : " ", stdout);
    print_way(times_ms + i * how.repetitions, turn, how.print);
  }
  if (rank == 0) putchar('\n');
  fflush(stdout);
  free(from);
  free(to);
  free(times_ms);
  free(longest_ns);
  free(orders);
}

int main(int argc, char** argv) {
  enum { kLibrary = 1, kRepetitions, kRoot, kCollectives };
  MPI_Init(&argc, &argv);
  Measuring how = {.print = "medians"};
  if (argc > 2 && strcmp(argv[1], "--print") == 0) {
    how.print = argv[2];
    argc -= 2;
    argv += 2;
  }
  void* library = argc > kCollectives ? dlopen(argv[kLibrary], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library != NULL) *(void**)&play = dlsym(library, NMT_COLLECTIVES_SYMBOL);
  if (play == NULL) {
    fprintf(stderr, "interleaved: %s\n", argc > kCollectives ? dlerror() : "too few arguments");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  how.ms_max = 1e3 * (double)cut_number(argv[kRepetitions], '/');
  how.repetitions = atoi(argv[kRepetitions]);
  how.root = argv[kRoot];
  for (int first = kCollectives, next; first < argc; first = next) {
    for (next = first + 1; next < argc && !is_collective(argv[next]); ++next) {
    }
    measure(argv[first], argv + first + 1, next - first - 1, how);
  }
  signal(SIGALRM, leave_now);  // MPICH over UCX's TCP may hang in MPI_Finalize
  alarm(2);
  MPI_Finalize();
  return 0;
}
