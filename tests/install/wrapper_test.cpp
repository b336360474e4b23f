// SPDX-License-Identifier: BSD-3-Clause
//
// nmadtune.hpp against the C functions that it wraps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nmadtune.hpp>
#include <span>
#include <type_traits>

#include "tests/runtime/planted.h"

namespace nmt::install {
namespace {

using ::testing::HasSubstr;

class Wrapper : public ::testing::Test {
 protected:
  Wrapper() {
    std::mt19937_64 random(1);
    Plan plan = planted::plan({});
    for (const char* name : {"a", "b"}) {
      plan.rails.push_back(planted::random_full_rail(random, name));
    }
    plan.rails.push_back(planted::plain_rail("plain", {{1, 10}, {1000, 20}}));
    plan.offloads = {{"shared-cache", 1, 1, 1}};
    plan.segments = {{"bcast", 4, 8, 0, std::nullopt, 8192}};
    file_ = folder_.file("profile.nmt");
    planted::write_file(file_, runtime::compile(planted::provenance(), plan).bytes());
  }

  nmadtune::Profile open() const { return nmadtune::Profile(planted::open_options(file_)); }

  planted::Folder folder_;
  std::string file_;
};

TEST_F(Wrapper, ThrowsWhatOpeningSays) {
  const std::string absent = folder_.file("absent.db");
  try {
    nmadtune::Profile profile(absent);
    FAIL() << "opens what is not there";
  } catch (const nmadtune::Error& error) {
    EXPECT_EQ(error.status(), NMT_NOT_FOUND);
    EXPECT_THAT(error.what(), HasSubstr(absent));
  }
  try {
    nmadtune::Profile profile(nmt_open_options{});  // of no size
    FAIL() << "takes options that are none";
  } catch (const nmadtune::Error& error) {
    EXPECT_STREQ(error.what(), nmt_status_text(NMT_INVALID));
  }
}

TEST_F(Wrapper, AnswersAsTheCFunctionsDo) {
  const nmadtune::Profile profile = open();
  EXPECT_EQ(profile.describe().paths, 3u);
  for (const char* rail : {"a", "b"}) {
    const nmadtune::Path path = profile.path(rail);
    ASSERT_TRUE(path);
    EXPECT_STREQ(path.describe().value().rail, rail);
    for (std::uint64_t size = 1; size < 1 << 26; size *= 3) {
      EXPECT_EQ(path.method_for(size), nmt_method_for(profile.get(), path.number(), size));
      EXPECT_EQ(path.duration_ns(size), nmt_duration_ns(profile.get(), path.number(), size));
      EXPECT_EQ(path.aggregate(size, 2 * size),
                nmt_aggregate(profile.get(), path.number(), size, 2 * size) == 1);
      auto prediction = nmadtune::sized<nmt_prediction>();
      ASSERT_EQ(nmt_predict(profile.get(), path.number(), NMT_COPY, size, &prediction), NMT_OK);
      EXPECT_EQ(path.predict(size, NMT_COPY).value().duration_ns, prediction.duration_ns);
    }
    const nmt_threshold_info info = path.threshold(NMT_DECIDE_IOVEC).value();
    EXPECT_EQ(path.threshold_range(NMT_DECIDE_IOVEC, 0).value().from_bytes, 0u);
    EXPECT_FALSE(path.threshold_range(NMT_DECIDE_IOVEC, info.ranges));
  }
  EXPECT_EQ(profile.segment_bytes("bcast", 1 << 20, 4, 8), 8192u);
}

TEST_F(Wrapper, IsEmptyWithoutAnAnswer) {
  const nmadtune::Profile profile = open();
  const nmadtune::Path unknown = profile.path("nosuch");
  EXPECT_FALSE(unknown);
  EXPECT_FALSE(unknown.method_for(1) || unknown.duration_ns(1) || unknown.aggregate(1, 1) ||
               unknown.predict(1) || unknown.describe() || unknown.threshold(NMT_DECIDE_IOVEC));
  EXPECT_FALSE(profile.path("plain").aggregate(1, 2));
  EXPECT_FALSE(profile.path("plain").predict(1, NMT_COPY));
  EXPECT_FALSE(profile.path("a").method_for(UINT64_MAX));
  EXPECT_FALSE(profile.segment_bytes("reduce", 1, 4, 8));
  EXPECT_FALSE(profile.alltoall(nmadtune::sized<nmt_exchange>()));
  EXPECT_FALSE(profile.difference(0));
  std::array<nmt_share, 0> none;
  EXPECT_FALSE(profile.split(1, none));
}

TEST_F(Wrapper, SplitsIntoWhateverHoldsShares) {
  const nmadtune::Profile profile = open();
  const nmt_share first = nmadtune::share(profile.path("a"));
  const nmt_share second = nmadtune::share(profile.path("b"), 500);
  std::vector<nmt_share> vector = {first, second};
  nmt_share array[] = {first, second};
  std::vector<nmt_share> viewed = vector;
  constexpr std::uint64_t kSize = 1 << 22;
  const nmt_split_result result = profile.split(kSize, vector).value();
  EXPECT_EQ(result.chunks, 2u);
  EXPECT_EQ(vector[0].bytes + vector[1].bytes, kSize);
  EXPECT_EQ(profile.split(kSize, array).value().end_ns, result.end_ns);
  EXPECT_EQ(profile.split(kSize, std::span(viewed)).value().end_ns, result.end_ns);
  EXPECT_EQ(array[1].offset_bytes, vector[1].offset_bytes);
  EXPECT_EQ(viewed[1].offset_bytes, vector[1].offset_bytes);
  nmt_split_result chunks{};
  EXPECT_EQ(profile.eager_chunks("shared-cache", 0, kSize, array, chunks), false);
  EXPECT_GT(chunks.end_ns, result.end_ns);
}

TEST_F(Wrapper, MovesWithItsPathsAndReleasesOnce) {
  nmadtune::Profile profile = open();
  const nmadtune::Path path = profile.path("a");
  const nmadtune::Profile moved = std::move(profile);
  EXPECT_TRUE(path.method_for(1));
  EXPECT_EQ(profile.get(), nullptr);
  EXPECT_FALSE(std::is_copy_constructible_v<nmadtune::Profile>);
  const nmadtune::Current current = nmadtune::make_current(moved.get());
  EXPECT_EQ(nmt_current_profile(current.get()), moved.get());
  EXPECT_EQ(nmt_rails_release_ns(nmadtune::make_rails(2).get(), 0, 1), 0);
  EXPECT_EQ(nmadtune::make_rails(0), nullptr);
}

}  // namespace
}  // namespace nmt::install
