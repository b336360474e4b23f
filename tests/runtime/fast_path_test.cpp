// SPDX-License-Identifier: BSD-3-Clause
//
// Methods decided in the caller's code, also by programs of an older and of a newer header.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::Profile;

// The line of another header, with room for this many changes.
template <std::size_t Changes>
struct OtherLine {
  std::uint32_t struct_bytes = sizeof(OtherLine);
  std::uint32_t flags = 77;
  std::int8_t choices[8];
  std::uint64_t from_bytes[Changes];

  OtherLine() {
    std::ranges::fill(choices, std::int8_t{NMT_NO_ADVICE});
    std::ranges::fill(from_bytes, UINT64_MAX);
  }
  int method(std::uint64_t size_bytes) const {
    unsigned changes = 0;
    for (const std::uint64_t from : from_bytes) changes += size_bytes >= from;
    return changes < std::size(choices) ? choices[changes] : int{NMT_NO_ADVICE};
  }
  int fill(const nmt_profile* profile, int path) {
    return nmt_fast_path(profile, path, reinterpret_cast<nmt_fast_line*>(this));
  }
};

// A rail on which copy and iovec alternate at these sizes, below rendezvous.
RailPlan alternating(std::vector<std::uint64_t> changes, std::uint64_t rendezvous_from) {
  RailPlan rail = planted::rail(
      "a", {planted::curve(benchmark::kTransfer, "copy", {{0, 100}, {1 << 20, 1 << 20}}),
            planted::curve(benchmark::kTransfer, "iovec", {{0, 100}, {1 << 20, 1 << 20}}),
            planted::curve(benchmark::kTransfer, "rendezvous", {{0, 100}, {1 << 20, 1 << 20}})});
  rail.thresholds = {planted::threshold(DecisionKind::kIovec, std::move(changes)),
                     planted::threshold(DecisionKind::kRendezvous, {rendezvous_from})};
  return rail;
}

std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> all = {0, 1, INT64_MAX};
  for (unsigned bit = 1; bit < 63; ++bit) {
    for (const int around : {-1, 0, 1}) all.push_back((std::uint64_t{1} << bit) + around);
  }
  return all;
}

TEST(FastPath, IsOneCacheLine) { EXPECT_EQ(sizeof(nmt_fast_line), 64u); }

TEST(FastPath, DecidesAsTheLibraryDoes) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Profile profile(planted::plan({planted::random_full_rail(random, "a")}));
    nmt_fast_line line = NMT_FAST_LINE;
    EXPECT_EQ(nmt_fast_method(&line, 4096), NMT_NO_ADVICE);
    ASSERT_EQ(nmt_fast_path(profile.get(), 0, &line), NMT_OK);
    for (const std::uint64_t size : sizes()) {
      const int fast = nmt_fast_method(&line, size);
      if (fast == NMT_NO_ADVICE) continue;  // more changes than fit
      ASSERT_EQ(fast, nmt_method_for(profile.get(), 0, size)) << size;
    }
  }
}

TEST(FastPath, HoldsSixChangesAndNamesNoMethodBeyond) {
  const auto fill = [](std::vector<std::uint64_t> changes, std::uint64_t rendezvous_from) {
    const Profile profile(planted::plan({alternating(std::move(changes), rendezvous_from)}));
    nmt_fast_line line = NMT_FAST_LINE;
    EXPECT_EQ(nmt_fast_path(profile.get(), 0, &line), NMT_OK);
    return line;
  };
  const nmt_fast_line six = fill({8, 16, 32, 64, 128}, 1024);
  EXPECT_EQ(nmt_fast_method(&six, 127), NMT_COPY);
  EXPECT_EQ(nmt_fast_method(&six, 128), NMT_IOVEC);
  EXPECT_EQ(nmt_fast_method(&six, 1024), NMT_RENDEZVOUS);
  const nmt_fast_line seven = fill({8, 16, 32, 64, 128, 256}, 1024);
  EXPECT_EQ(nmt_fast_method(&seven, 255), NMT_IOVEC);
  EXPECT_EQ(nmt_fast_method(&seven, 256), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_fast_method(&seven, 1024), NMT_NO_ADVICE);
}

TEST(FastPath, IsFilledAgainAfterTheProfileIsReplaced) {
  const Profile many(planted::plan({alternating({8, 16, 32, 64, 128}, 1024)}));
  const Profile few(planted::plan({alternating({64}, 4096)}));
  nmt_current* current = nullptr;
  ASSERT_EQ(nmt_current_new(many.get(), &current), NMT_OK);
  nmt_fast_line line = NMT_FAST_LINE;
  for (const Profile* profile : {&many, &few, &many}) {
    nmt_current_replace(current, profile->get());
    ASSERT_EQ(nmt_fast_path(nmt_current_profile(current), 0, &line), NMT_OK);
    for (const std::uint64_t size : sizes()) {
      ASSERT_EQ(nmt_fast_method(&line, size), nmt_method_for(profile->get(), 0, size)) << size;
    }
  }
  nmt_current_free(current);
}

TEST(FastPath, OfAnOlderHeaderIsFilledAsFarAsItGoes) {
  const Profile profile(planted::plan({alternating({8, 16, 32, 64}, 1024)}));
  struct {
    OtherLine<2> line;
    std::uint64_t behind = 12345;
  } older;
  ASSERT_EQ(older.line.fill(profile.get(), 0), NMT_OK);
  EXPECT_EQ(older.line.flags, 0u);
  EXPECT_EQ(older.line.method(15), NMT_IOVEC);
  EXPECT_EQ(older.line.method(16), NMT_NO_ADVICE);
  EXPECT_EQ(older.behind, 12345u);
}

TEST(FastPath, OfANewerHeaderKeepsWhatThisLibraryDoesNotKnow) {
  const Profile profile(planted::plan({alternating({8, 16, 32, 64, 128, 256}, 1024)}));
  OtherLine<12> newer;
  ASSERT_EQ(newer.fill(profile.get(), 0), NMT_OK);
  EXPECT_EQ(newer.method(255), NMT_IOVEC);
  EXPECT_EQ(newer.method(256), NMT_NO_ADVICE);
  EXPECT_EQ(newer.method(1 << 20), NMT_NO_ADVICE);
}

TEST(FastPath, OfAWrongQuestionNamesNoMethod) {
  const Profile profile(planted::plan({alternating({8}, 1024)}));
  nmt_fast_line line = NMT_FAST_LINE;
  ASSERT_EQ(nmt_fast_path(profile.get(), 0, &line), NMT_OK);
  EXPECT_EQ(nmt_fast_path(profile.get(), NMT_NO_ADVICE, &line), NMT_UNKNOWN);
  EXPECT_EQ(nmt_fast_method(&line, 4), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_fast_path(nullptr, 0, &line), NMT_INVALID);
  EXPECT_EQ(nmt_fast_path(profile.get(), 0, nullptr), NMT_INVALID);
  line.struct_bytes = 8;
  EXPECT_EQ(nmt_fast_path(profile.get(), 0, &line), NMT_INVALID);
}

}  // namespace
}  // namespace nmt::runtime
