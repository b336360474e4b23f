// SPDX-License-Identifier: BSD-3-Clause
//
// Stands for libnmadtune-mpi.so: runs no collective, and records the root of each.
#include "collectives/collectives.h"

enum { kRootsMax = 4096 };
static int32_t roots[kRootsMax];
static int count = 0;

// Stands for the module of an MPI, beside which the library is found.
void recording_start(void);
void recording_start(void) { count = 0; }

int recorded_roots(int32_t* all);
int recorded_roots(int32_t* all) {
  for (int i = 0; i < count; ++i) all[i] = roots[i];
  return count;
}

int nmt_play_collective(const nmt_collective_play* play) {
  if (count == kRootsMax) return 2;
  roots[count++] = play->root;
  return 0;
}

int nmt_play_within(const int* ranks, int ranks_count) {
  (void)ranks;
  (void)ranks_count;
  return 0;
}

int nmt_collective_leaders(uint32_t* leaders, int capacity) {
  (void)leaders;
  (void)capacity;
  return 0;
}

int nmt_collective_algorithms(const char* operation, char* names, int names_bytes_max) {
  (void)operation;
  if (names_bytes_max > 0) names[0] = '\0';
  return 0;
}
