// SPDX-License-Identifier: BSD-3-Clause
//
// The C ABI as a C program sees it: compiled as C11, against the installed header alone. Checks
// that wrong arguments give a status, and that structs of other sizes are only read and written as
// far as they go. Prints what failed; exits with the number of failures.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/nmadtune.h"

static int failures = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static const uint64_t kTooLarge = UINT64_C(1) << 63;

static void refuses_null_handles(void) {
  nmt_prediction prediction = {.struct_bytes = sizeof prediction};
  nmt_split_result result = {.struct_bytes = sizeof result};
  nmt_share share = {.struct_bytes = sizeof share};
  nmt_exchange exchange = {.struct_bytes = sizeof exchange, .ranks = 4, .ranks_per_node = 1};
  nmt_description description = {.struct_bytes = sizeof description};
  nmt_path_description path = {.struct_bytes = sizeof path};
  nmt_difference difference = {.struct_bytes = sizeof difference};
  nmt_threshold_info info = {.struct_bytes = sizeof info};
  nmt_range range = {.struct_bytes = sizeof range};
  EXPECT(nmt_find_path(NULL, "a", NULL) == NMT_INVALID);
  EXPECT(nmt_method_for(NULL, 0, 1) == NMT_INVALID);
  EXPECT(nmt_duration_ns(NULL, 0, 1) == (double)NMT_INVALID);
  EXPECT(nmt_aggregate(NULL, 0, 1, 1) == NMT_INVALID);
  EXPECT(nmt_predict(NULL, 0, NMT_COPY, 1, &prediction) == NMT_INVALID);
  EXPECT(nmt_threshold(NULL, 0, NMT_DECIDE_IOVEC, &info) == NMT_INVALID);
  EXPECT(nmt_threshold_range(NULL, 0, NMT_DECIDE_IOVEC, 0, &range) == NMT_INVALID);
  EXPECT(nmt_split(NULL, 1, &share, 1, &result) == NMT_INVALID);
  EXPECT(nmt_eager_chunks(NULL, "shared-cache", 1, 1, &share, 1, &result) == NMT_INVALID);
  EXPECT(nmt_segment_bytes(NULL, "bcast", 1, 1, 1) == NMT_INVALID);
  EXPECT(nmt_alltoall(NULL, &exchange, &prediction) == NMT_INVALID);
  EXPECT(nmt_describe(NULL, &description) == NMT_INVALID);
  EXPECT(nmt_describe_path(NULL, 0, &path) == NMT_INVALID);
  EXPECT(nmt_describe_difference(NULL, 0, &difference) == NMT_INVALID);
  EXPECT(nmt_open(NULL, NULL) == NMT_INVALID);
  nmt_close(NULL);
}

static void refuses_null_results(const nmt_profile* profile) {
  nmt_share share = {.struct_bytes = sizeof share};
  nmt_split_result result = {.struct_bytes = sizeof result};
  EXPECT(nmt_predict(profile, 0, NMT_ANY_METHOD, 1, NULL) == NMT_INVALID);
  EXPECT(nmt_threshold(profile, 0, NMT_DECIDE_IOVEC, NULL) == NMT_INVALID);
  EXPECT(nmt_threshold_range(profile, 0, NMT_DECIDE_IOVEC, 0, NULL) == NMT_INVALID);
  EXPECT(nmt_split(profile, 1, NULL, 1, &result) == NMT_INVALID);
  EXPECT(nmt_split(profile, 1, &share, 1, NULL) == NMT_INVALID);
  EXPECT(nmt_eager_chunks(profile, NULL, 1, 1, &share, 1, &result) == NMT_INVALID);
  EXPECT(nmt_alltoall(profile, NULL, NULL) == NMT_INVALID);
  EXPECT(nmt_segment_bytes(profile, NULL, 1, 1, 1) == NMT_INVALID);
  EXPECT(nmt_describe(profile, NULL) == NMT_INVALID);
  EXPECT(nmt_describe_path(profile, 0, NULL) == NMT_INVALID);
  EXPECT(nmt_describe_difference(profile, 0, NULL) == NMT_INVALID);
  EXPECT(nmt_find_path(profile, NULL, NULL) == NMT_INVALID);
}

static void refuses_paths_that_do_not_exist(const nmt_profile* profile) {
  nmt_description known = {.struct_bytes = sizeof known};
  EXPECT(nmt_describe(profile, &known) == NMT_OK);
  const int wrong[] = {-1, NMT_UNKNOWN, (int)known.paths, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    nmt_prediction prediction = {.struct_bytes = sizeof prediction};
    nmt_share share = {.struct_bytes = sizeof share, .path = wrong[i]};
    nmt_split_result result = {.struct_bytes = sizeof result};
    nmt_path_description path = {.struct_bytes = sizeof path};
    EXPECT(nmt_method_for(profile, wrong[i], 1) == NMT_UNKNOWN);
    EXPECT(nmt_duration_ns(profile, wrong[i], 1) == (double)NMT_UNKNOWN);
    EXPECT(nmt_aggregate(profile, wrong[i], 1, 1) == NMT_UNKNOWN);
    EXPECT(nmt_predict(profile, wrong[i], NMT_COPY, 1, &prediction) == NMT_UNKNOWN);
    EXPECT(nmt_split(profile, 1, &share, 1, &result) == NMT_UNKNOWN);
    EXPECT(nmt_describe_path(profile, wrong[i], &path) == NMT_UNKNOWN);
  }
  EXPECT(nmt_find_path(profile, "no such rail", NULL) == NMT_NO_ADVICE);
  EXPECT(nmt_find_path(profile, "", NULL) == NMT_NO_ADVICE);
}

static void answers_at_the_ends_of_the_sizes(const nmt_profile* profile) {
  nmt_prediction prediction = {.struct_bytes = sizeof prediction};
  nmt_share share = {.struct_bytes = sizeof share};
  nmt_split_result result = {.struct_bytes = sizeof result};
  EXPECT(nmt_method_for(profile, 0, 0) >= 0);
  EXPECT(nmt_duration_ns(profile, 0, 0) > 0);
  EXPECT(nmt_aggregate(profile, 0, 0, 0) >= NMT_NO_ADVICE);
  EXPECT(nmt_predict(profile, 0, NMT_ANY_METHOD, 0, &prediction) == NMT_OK);
  EXPECT(nmt_split(profile, 0, &share, 1, &result) == NMT_OK && share.bytes == 0);
  EXPECT(nmt_method_for(profile, 0, kTooLarge - 1) >= 0);
  EXPECT(nmt_duration_ns(profile, 0, kTooLarge - 1) > 0);
  EXPECT(nmt_split(profile, kTooLarge - 1, &share, 1, &result) == NMT_OK);
  EXPECT(share.bytes == kTooLarge - 1);
  for (int i = 0; i < 2; ++i) {
    const uint64_t size = i == 0 ? kTooLarge : UINT64_MAX;
    EXPECT(nmt_method_for(profile, 0, size) == NMT_INVALID);
    EXPECT(nmt_duration_ns(profile, 0, size) == (double)NMT_INVALID);
    EXPECT(nmt_aggregate(profile, 0, size, 1) == NMT_INVALID);
    EXPECT(nmt_aggregate(profile, 0, 1, size) == NMT_INVALID);
    EXPECT(nmt_predict(profile, 0, NMT_COPY, size, &prediction) == NMT_INVALID);
    EXPECT(nmt_split(profile, size, &share, 1, &result) == NMT_INVALID);
    EXPECT(nmt_eager_chunks(profile, "shared-cache", 1, size, &share, 1, &result) == NMT_INVALID);
    EXPECT(nmt_segment_bytes(profile, "bcast", size, 1, 1) == NMT_INVALID);
  }
}

static void refuses_rails_that_make_no_sense(const nmt_profile* profile) {
  static const double wrong[] = {-1, -1e-300, NAN, INFINITY, -INFINITY, 1e300};
  nmt_split_result result = {.struct_bytes = sizeof result};
  nmt_share shares[NMT_SPLIT_RAILS_MAX + 1];
  memset(shares, 0, sizeof shares);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    shares[0].struct_bytes = sizeof *shares;
    shares[1] = shares[0];
    shares[1].path = 1;
    shares[1].release_ns = wrong[i];
    EXPECT(nmt_split(profile, 4096, shares, 2, &result) == NMT_INVALID);
    shares[0].release_ns = wrong[i];
    EXPECT(nmt_split(profile, 4096, shares, 2, &result) == NMT_INVALID);
    shares[0].release_ns = 0;
  }
  shares[1] = shares[0];
  EXPECT(nmt_split(profile, 4096, shares, 2, &result) == NMT_INVALID);  // one rail twice
  EXPECT(nmt_split(profile, 4096, shares, 0, &result) == NMT_INVALID);
  EXPECT(nmt_split(profile, 4096, shares, NMT_SPLIT_RAILS_MAX + 1, &result) == NMT_INVALID);
  EXPECT(nmt_split(profile, 4096, shares, UINT32_MAX, &result) == NMT_INVALID);
}

static void refuses_other_nonsense(const nmt_profile* profile) {
  nmt_prediction prediction = {.struct_bytes = sizeof prediction};
  nmt_threshold_info info = {.struct_bytes = sizeof info};
  nmt_range range = {.struct_bytes = sizeof range};
  nmt_difference difference = {.struct_bytes = sizeof difference};
  nmt_exchange exchange = {.struct_bytes = sizeof exchange};
  EXPECT(nmt_predict(profile, 0, -2, 1, &prediction) == NMT_INVALID);
  EXPECT(nmt_predict(profile, 0, 3, 1, &prediction) == NMT_INVALID);
  EXPECT(nmt_threshold(profile, 0, -1, &info) == NMT_INVALID);
  EXPECT(nmt_threshold(profile, 0, 3, &info) == NMT_INVALID);
  EXPECT(nmt_threshold_range(profile, 0, 3, 0, &range) == NMT_INVALID);
  EXPECT(nmt_describe_difference(profile, 0, &difference) == NMT_UNKNOWN);
  EXPECT(nmt_alltoall(profile, &exchange, &prediction) == NMT_INVALID);  // no ranks
  EXPECT(nmt_segment_bytes(profile, "bcast", 1, 0, 1) == NMT_INVALID);
}

// A struct of `struct_bytes` in a larger block of 0xee.
static void writes_only_what_fits(const nmt_profile* profile) {
  union {
    nmt_prediction prediction;
    unsigned char bytes[256];
  } block;
  nmt_prediction whole = {.struct_bytes = sizeof whole};
  EXPECT(nmt_predict(profile, 0, NMT_ANY_METHOD, 100, &whole) == NMT_OK);
  for (uint32_t size = 0; size < sizeof block; ++size) {
    memset(&block, 0xee, sizeof block);
    block.prediction.struct_bytes = size;
    const int status = nmt_predict(profile, 0, NMT_ANY_METHOD, 100, &block.prediction);
    EXPECT(status == (size < 8 ? NMT_INVALID : NMT_OK));
    EXPECT(block.prediction.struct_bytes == size);
    const size_t known = size < sizeof whole ? size : sizeof whole;
    for (size_t i = sizeof(uint32_t); i < sizeof block; ++i) {
      const unsigned char expected =
          status == NMT_OK && i < known ? ((const unsigned char*)&whole)[i] : 0xee;
      EXPECT(block.bytes[i] == expected);
    }
  }
}

// Shares that are longer or shorter than ours, as programs of other versions have them.
static void walks_arrays_by_the_callers_size(const nmt_profile* profile) {
  nmt_share ours[2];
  memset(ours, 0, sizeof ours);
  ours[0].struct_bytes = ours[1].struct_bytes = sizeof *ours;
  ours[1].path = 1;
  ours[1].release_ns = 500;
  nmt_split_result result = {.struct_bytes = sizeof result};
  nmt_share expected[2] = {ours[0], ours[1]};
  EXPECT(nmt_split(profile, 1 << 20, expected, 2, &result) == NMT_OK);
  const double end_ns = result.end_ns;
  for (uint32_t size = 0; size < 128; ++size) {
    unsigned char array[2 * 128 + 16];
    memset(array, 0xee, sizeof array);
    const size_t question = offsetof(nmt_share, offset_bytes);
    const size_t known = size < sizeof *ours ? size : sizeof *ours;
    for (size_t i = 2; i-- > 0;) {  // the first one last: below 4 bytes they overlap
      ours[i].struct_bytes = size;
      memcpy(array + i * size, &ours[i], known > 4 ? known : 4);
    }
    nmt_share* first = malloc(sizeof array);
    memcpy(first, array, sizeof array);
    const int status = nmt_split(profile, 1 << 20, first, 2, &result);
    EXPECT(status == (size < question ? NMT_INVALID : NMT_OK));
    if (status == NMT_OK) {
      EXPECT(result.end_ns == end_ns);
      for (size_t i = 0; i < 2; ++i) {
        nmt_share share = expected[i];
        share.struct_bytes = size;
        const unsigned char* at = (const unsigned char*)first + i * size;
        EXPECT(memcmp(at, &share, known) == 0);
        for (size_t k = known; k < size; ++k) EXPECT(at[k] == 0xee);
      }
      EXPECT(((const unsigned char*)first)[2 * (size_t)size] == 0xee);
    }
    free(first);
  }
}

static void refuses_files_that_are_no_profiles(void) {
  char message[200] = "";
  nmt_profile* profile = (nmt_profile*)message;
  nmt_open_options options = {.struct_bytes = sizeof options,
                              .file = "/nonexistent/profile.db",
                              .message = message,
                              .message_bytes = sizeof message};
  EXPECT(nmt_open(&options, &profile) == NMT_NOT_FOUND);
  EXPECT(profile == NULL);
  EXPECT(strstr(message, "/nonexistent/profile.db") != NULL);
  options.message_bytes = 5;  // cut, and ended
  EXPECT(nmt_open(&options, &profile) == NMT_NOT_FOUND);
  EXPECT(strlen(message) == 4);
  options.message = NULL;
  EXPECT(nmt_open(&options, &profile) == NMT_NOT_FOUND);
  options.file = "/dev/null";
  EXPECT(nmt_open(&options, &profile) == NMT_UNUSABLE);
  options.file = "/";
  EXPECT(nmt_open(&options, &profile) == NMT_UNUSABLE);
  options.struct_bytes = 3;
  EXPECT(nmt_open(&options, &profile) == NMT_INVALID);
}

static void has_a_text_for_every_status(void) {
  for (int status = NMT_FAILED - 1; status <= 1; ++status) {
    EXPECT(nmt_status_text(status) != NULL && *nmt_status_text(status) != '\0');
  }
  EXPECT(strchr(nmt_version(), '.') != NULL);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s SNAPSHOT\n", argv[0]);
    return 2;
  }
  refuses_null_handles();
  refuses_files_that_are_no_profiles();
  has_a_text_for_every_status();
  char message[200] = "";
  nmt_open_options options = {.struct_bytes = sizeof options,
                              .file = argv[1],
                              .machine_root = "/nonexistent",
                              .message = message,
                              .message_bytes = sizeof message};
  nmt_profile* profile = NULL;
  if (nmt_open(&options, &profile) != NMT_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  refuses_null_results(profile);
  refuses_paths_that_do_not_exist(profile);
  answers_at_the_ends_of_the_sizes(profile);
  refuses_rails_that_make_no_sense(profile);
  refuses_other_nonsense(profile);
  writes_only_what_fits(profile);
  walks_arrays_by_the_callers_size(profile);
  nmt_close(profile);
  return failures;
}
