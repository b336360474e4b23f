// SPDX-License-Identifier: BSD-3-Clause
//
// Asks a profile everything about one message: advice PROFILE SIZE RAIL [RAIL]...
//
// PROFILE is a profile database or a flat snapshot, "-" the one of this platform. A negative answer
// says that the profile does not know: a communication stack then decides as it did before.
#include <inttypes.h>
#include <nmadtune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nmt_profile* open_profile(const char* file) {
  char message[500];
  const nmt_open_options options = {.struct_bytes = sizeof options,
                                    .file = strcmp(file, "-") == 0 ? NULL : file,
                                    .message = message,
                                    .message_bytes = sizeof message};
  nmt_profile* profile;
  if (nmt_open(&options, &profile) == NMT_OK) return profile;
  fprintf(stderr, "advice: %s\n", message);
  exit(1);
}

static void print_profile(const nmt_profile* profile) {
  nmt_description description = {.struct_bytes = sizeof description};
  nmt_describe(profile, &description);
  printf("profile %s of %s, measured %s%s\n", description.file, description.platform,
         description.measured_utc, description.foreign ? ", on another platform" : "");
}

static void print_method(const nmt_profile* profile, int path, uint64_t size_bytes) {
  static const char* const names[] = {"copy", "iovec", "rendezvous"};
  const int method = nmt_method_for(profile, path, size_bytes);
  printf("  method: %s\n", method < 0 ? nmt_status_text(method) : names[method]);
}

static void print_prediction(const nmt_profile* profile, int path, uint64_t size_bytes) {
  nmt_prediction prediction = {.struct_bytes = sizeof prediction};
  const int status = nmt_predict(profile, path, NMT_ANY_METHOD, size_bytes, &prediction);
  if (status < 0) {
    printf("  duration: %s\n", nmt_status_text(status));
    return;
  }
  printf("  duration: %.0f ns, 95 %% between %.0f and %.0f ns%s\n", prediction.duration_ns,
         prediction.low_ns, prediction.high_ns,
         prediction.flags & NMT_ADVICE_EXTRAPOLATED ? " (more than was measured)" : "");
}

static void print_aggregation(const nmt_profile* profile, int path, uint64_t size_bytes) {
  const int together = nmt_aggregate(profile, path, size_bytes, size_bytes);
  printf("  two of them: %s\n",
         together < 0 ? nmt_status_text(together) : (together ? "aggregate" : "one by one"));
}

static void print_split(const nmt_profile* profile, uint64_t size_bytes, nmt_share* shares,
                        uint32_t rails, char** names) {
  nmt_split_result result = {.struct_bytes = sizeof result};
  const int status = nmt_split(profile, size_bytes, shares, rails, &result);
  if (status < 0) {
    printf("split: %s\n", nmt_status_text(status));
    return;
  }
  printf("split into %" PRIu32 ", all there after %.0f ns\n", result.chunks, result.end_ns);
  for (uint32_t i = 0; i < rails; ++i) {
    printf("  %s: %" PRIu64 " B from %" PRIu64 "\n", names[i], shares[i].bytes,
           shares[i].offset_bytes);
  }
}

int main(int argc, char** argv) {
  if (argc < 4 || argc > 3 + NMT_SPLIT_RAILS_MAX) {
    fprintf(stderr, "usage: advice PROFILE SIZE RAIL [RAIL]...\n");
    return 2;
  }
  nmt_profile* profile = open_profile(argv[1]);
  const uint64_t size_bytes = strtoull(argv[2], NULL, 10);
  const uint32_t rails = (uint32_t)argc - 3;
  nmt_share shares[NMT_SPLIT_RAILS_MAX];
  print_profile(profile);
  for (uint32_t i = 0; i < rails; ++i) {
    const char* rail = argv[3 + i];
    const int path = nmt_find_path(profile, rail, NULL);
    shares[i] = (nmt_share){.struct_bytes = sizeof *shares, .path = path};
    printf("%" PRIu64 " B over %s\n", size_bytes, rail);
    print_method(profile, path, size_bytes);
    print_prediction(profile, path, size_bytes);
    print_aggregation(profile, path, size_bytes);
  }
  print_split(profile, size_bytes, shares, rails, argv + 3);
  nmt_close(profile);
  return 0;
}
