// SPDX-License-Identifier: BSD-3-Clause
//
// A tuner plug-in that asks a profile. Initialisation opens it once; a choice reads memory only, so
// the host may ask from any thread.
#include <plugin.h>

#include <nmadtune.h>
#include <stdio.h>
#include <string.h>

static int init(const char* file, void** context) {
  char message[500];
  const nmt_open_options options = {.struct_bytes = sizeof options,
                                    .file = file,
                                    .message = message,
                                    .message_bytes = sizeof message};
  nmt_profile* profile;
  if (nmt_open(&options, &profile) != NMT_OK) {
    fprintf(stderr, "tuner: %s\n", message);
    return 1;
  }
  nmt_description description = {.struct_bytes = sizeof description};
  nmt_describe(profile, &description);
  if (description.foreign) {
    fprintf(stderr, "tuner: %s was measured on another platform\n", description.file);
  }
  *context = profile;
  return 0;
}

// The better of what the profile knows of the host's own algorithms and of hierarchical ones.
static int choose(void* context, const struct call* call, struct choice* choice) {
  const nmt_collective_call asked = {.struct_bytes = sizeof asked,
                                     .nodes = call->nodes,
                                     .ranks_per_node = call->ranks_per_node,
                                     .ranks = call->ranks,
                                     .mpi = call->mpi,
                                     .operation = call->operation,
                                     .size_bytes = call->size_bytes};
  nmt_library_rule native = {.struct_bytes = sizeof native};
  nmt_collective_rule ours = {.struct_bytes = sizeof ours};
  int found = 0;
  if (nmt_library_rule_for(context, &asked, &native) == NMT_OK && *native.algorithm != '\0') {
    *choice = (struct choice){native.algorithm, native.segment_bytes, native.gain, 1};
    found = 1;
  }
  if (nmt_collective_rule_for(context, &asked, &ours) == NMT_OK && *ours.algorithm != '\0' &&
      strcmp(ours.algorithm, "library") != 0 && (!found || ours.gain > choice->gain)) {
    const char own[] = "library:";  // before a name of the host's own
    const size_t prefix = strncmp(ours.algorithm, own, sizeof own - 1) == 0 ? sizeof own - 1 : 0;
    *choice = (struct choice){ours.algorithm + prefix, ours.segment_bytes, ours.gain, prefix > 0};
    found = 1;
  }
  return found;
}

static void finish(void* context) { nmt_close(context); }

__attribute__((visibility("default"))) const struct tuner example_tuner_v1 = {init, choose, finish};
