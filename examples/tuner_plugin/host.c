// SPDX-License-Identifier: BSD-3-Clause
//
// A host that loads a tuner plug-in and asks it for each call of a collective:
//   tuner_host PLUGIN PROFILE MPI OPERATION NODES RANKS_PER_NODE SIZE...
//
// Without the plug-in, or without advice, it decides by constants, as it did before.
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <plugin.h>

// NULL where there is no such plug-in or it cannot be used.
static const struct tuner* load(const char* file, const char* profile, void** context) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const struct tuner* tuner = library != NULL ? dlsym(library, TUNER_SYMBOL) : NULL;
  if (tuner == NULL) fprintf(stderr, "tuner_host: %s\n", dlerror());
  if (tuner == NULL || tuner->init(profile, context) != 0) return NULL;
  return tuner;
}

static struct choice by_constants(const struct call* call) {
  const int is_short = call->size_bytes < 64 << 10;
  return (struct choice){is_short ? "binomial" : "pipeline", is_short ? 0 : 32 << 10, 0, 1};
}

int main(int argc, char** argv) {
  if (argc < 8) {
    fprintf(stderr,
            "usage: tuner_host PLUGIN PROFILE MPI OPERATION NODES RANKS_PER_NODE SIZE...\n");
    return 2;
  }
  void* context = NULL;
  const struct tuner* tuner = load(argv[1], argv[2], &context);
  struct call call = {.mpi = argv[3],
                      .operation = argv[4],
                      .nodes = (uint32_t)strtoul(argv[5], NULL, 10),
                      .ranks_per_node = (uint32_t)strtoul(argv[6], NULL, 10)};
  call.ranks = call.nodes * call.ranks_per_node;
  for (int i = 7; i < argc; ++i) {
    struct choice choice;
    call.size_bytes = strtoull(argv[i], NULL, 10);
    const int advised = tuner != NULL && tuner->choose(context, &call, &choice);
    if (!advised) choice = by_constants(&call);
    printf("%s of %" PRIu64 " B: %s, segments of %" PRIu64 " B, %s\n", call.operation,
           call.size_bytes, *choice.algorithm != '\0' ? choice.algorithm : "any",
           choice.segment_bytes, advised ? "by the profile" : "by constants");
  }
  if (tuner != NULL) tuner->finish(context);
  return 0;
}
