// SPDX-License-Identifier: BSD-3-Clause
//
// What the host of this example asks of a tuner plug-in: one table of functions under a fixed name,
// as NCCL's tuner and Open MPI's components have it. A plug-in never fails a call: where it has no
// advice, the host decides as it did before.
#pragma once

#include <stdint.h>

struct call {
  const char* mpi;  // name and version
  const char* operation;
  uint32_t nodes, ranks_per_node, ranks;
  uint64_t size_bytes;
};

struct choice {
  const char* algorithm;  // lives until the plug-in is finished
  uint64_t segment_bytes;
  double gain;    // against the host's own choice; 0: not known
  int is_native;  // the host has this algorithm itself
};

struct tuner {
  int (*init)(const char* profile, void** context);  // not 0: this plug-in cannot be used
  int (*choose)(void* context, const struct call* call, struct choice* choice);  // 0: no advice
  void (*finish)(void* context);
};

#define TUNER_SYMBOL "example_tuner_v1"
