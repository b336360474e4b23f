// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Alltoallv by whatever stands in for the MPI's own (LD_PRELOAD), and by PMPI_Alltoallv, by
// turns in one run.
//
//   unequal REPETITIONS KIND:BYTES[:SEED]...
//
// The bytes are the mean of a block, what one rank has for another. Kinds: "random", each block up
// to twice the mean; "one", of which rank 0 sends half of all; "power", the k-th largest block
// 1 / k as large as the largest, dealt out at random; "diagonal", where each quarter of the ranks
// sends within itself only. Rank 0 prints a line for each: the median of both in milliseconds, then
// the mean of both, which contains what ranks now and then find out together (common_start.h).
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/collectives/common_start.h"

static int rank, ranks;

typedef struct Blocks {
  int *sent, *sent_places, *received, *received_places;
  char *from, *to;
  MPI_Comm comm;
} Blocks;

static void by_name(const void* given) {
  const Blocks* b = given;
  MPI_Alltoallv(b->from, b->sent, b->sent_places, MPI_BYTE, b->to, b->received, b->received_places,
                MPI_BYTE, b->comm);
}

static void by_own(const void* given) {
  const Blocks* b = given;
  PMPI_Alltoallv(b->from, b->sent, b->sent_places, MPI_BYTE, b->to, b->received, b->received_places,
                 MPI_BYTE, b->comm);
}

static void* zeros(size_t count, size_t each_bytes) {
  void* there = calloc(count > 0 ? count : 1, each_bytes);
  if (there == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return there;
}

// From 0 to below 1; the same numbers everywhere.
static double next_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

// Weights of all blocks, by sender and receiver; mean 1 as far as chance allows.
static void weigh(const char* kind, uint64_t seed, double* weights) {
  const int all = ranks * ranks, quarter = ranks >= 4 ? ranks / 4 : 1;
  uint64_t state = seed * 2654435761u + 1;
  double sum = 0;
  for (int i = 0; i < all; ++i) {
    const int from = i / ranks, to = i % ranks;
    if (strcmp(kind, "one") == 0) {
      weights[i] = from == 0 ? 0.5 * ranks : 0.5 * ranks / (ranks > 1 ? ranks - 1 : 1);
    } else if (strcmp(kind, "power") == 0) {
      weights[i] = 1.0 / (i + 1);
    } else if (strcmp(kind, "diagonal") == 0) {
      weights[i] = from / quarter == to / quarter;
    } else {
      weights[i] = next_random(&state);
    }
    sum += weights[i];
  }
  for (int i = all - 1; i > 0 && strcmp(kind, "power") == 0; --i) {
    const int other = (int)(next_random(&state) * (i + 1));
    const double weight = weights[i];
    weights[i] = weights[other];
    weights[other] = weight;
  }
  for (int i = 0; i < all; ++i) weights[i] *= all / sum;
}

static Blocks blocks_of(const char* kind, uint64_t bytes, uint64_t seed) {
  double* weights = zeros((size_t)ranks * (size_t)ranks, sizeof *weights);
  int* numbers = zeros(4 * (size_t)ranks, sizeof *numbers);
  Blocks blocks = {numbers, numbers + ranks, numbers + 2 * ranks, numbers + 3 * ranks};
  int sent = 0, received = 0;
  weigh(kind, seed, weights);
  for (int other = 0; other < ranks; ++other) {
    blocks.sent[other] = (int)(weights[rank * ranks + other] * (double)bytes);
    blocks.received[other] = (int)(weights[other * ranks + rank] * (double)bytes);
    blocks.sent_places[other] = sent;
    blocks.received_places[other] = received;
    sent += blocks.sent[other];
    received += blocks.received[other];
  }
  blocks.from = zeros((size_t)sent, 1);
  blocks.to = zeros((size_t)received, 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &blocks.comm);
  free(weights);
  return blocks;
}

static double mean(const double* times, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += times[i];
  return sum / count;
}

static void measure(char* matrix, int repetitions) {
  enum {
    kWarmUps = 2,
    kSmallWarmUps = 20,
    kLargeBytes = 32768
  };  // ranks look rarely after so many
  char* bytes = strchr(matrix, ':');
  char* seed = bytes != NULL ? strchr(bytes + 1, ':') : NULL;
  if (bytes == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  *bytes = '\0';
  const uint64_t mean_bytes = strtoull(bytes + 1, NULL, 10);
  const int warm_ups = mean_bytes < kLargeBytes ? kSmallWarmUps : kWarmUps;
  Blocks blocks = blocks_of(matrix, mean_bytes, seed != NULL ? strtoull(seed + 1, NULL, 10) : 1);
  double* ours_ms = zeros((size_t)repetitions, sizeof *ours_ms);
  double* own_ms = zeros((size_t)repetitions, sizeof *own_ms);
  int64_t ours_longest_ns = 0, own_longest_ns = 0;
  for (int turn = -warm_ups; turn < repetitions; ++turn) {
    const double own = turn % 2 == 0 ? time_of(by_own, &blocks, &own_longest_ns) : 0;
    const double ours = time_of(by_name, &blocks, &ours_longest_ns);
    const double later = turn % 2 == 0 ? own : time_of(by_own, &blocks, &own_longest_ns);
    if (turn < 0) continue;
    ours_ms[turn] = ours;
    own_ms[turn] = later;
  }
  const double ours_mean = mean(ours_ms, repetitions), own_mean = mean(own_ms, repetitions);
  if (rank == 0) {
    printf("%.4f %.4f %.4f %.4f\n", median(ours_ms, repetitions), median(own_ms, repetitions),
           ours_mean, own_mean);
  }
  fflush(stdout);
  MPI_Comm_free(&blocks.comm);
  free(blocks.sent);
  free(blocks.from);
  free(blocks.to);
  free(ours_ms);
  free(own_ms);
}

static void leave_now(int signal) {
  (void)signal;
  _exit(0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 2; i < argc; ++i) measure(argv[i], atoi(argv[1]));
  signal(SIGALRM, leave_now);  // MPICH over UCX's TCP may hang in MPI_Finalize
  alarm(2);
  MPI_Finalize();
  return 0;
}
