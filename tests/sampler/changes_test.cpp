// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt::sampler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Changes, AreWhereNoWayIsNearlyAsGoodAtBothSizes) {
  const std::vector<TimesAtSize> sizes = {{4096, {{0, 10}, {1, 12}}},
                                          {16384, {{0, 20}, {1, 23}}},
                                          {32768, {{0, 50}, {1, 40}}},
                                          {65536, {{0, 90}, {1, 80}}}};
  EXPECT_THAT(changes_after(sizes), ElementsAre(1));
}

TEST(Changes, AreNotMadeByNoise) {
  const std::vector<TimesAtSize> sizes = {{4096, {{0, 100}, {1, 102}}},
                                          {16384, {{0, 202}, {1, 200}}}};
  EXPECT_THAT(changes_after(sizes), IsEmpty());
}

TEST(Changes, AreNotNeededWhereAThirdWayServesBoth) {
  const std::vector<TimesAtSize> sizes = {{4096, {{0, 100}, {1, 130}, {2, 102}}},
                                          {16384, {{0, 260}, {1, 200}, {2, 203}}}};
  EXPECT_THAT(changes_after(sizes), IsEmpty());
}

TEST(Changes, AreWhereAWayWasGivenUp) {
  const std::vector<TimesAtSize> sizes = {{4096, {{0, 100}}}, {16384, {{1, 200}}}};
  EXPECT_THAT(changes_after(sizes), ElementsAre(0));
  EXPECT_THAT(changes_after(std::span(sizes).first(1)), IsEmpty());
  EXPECT_THAT(changes_after({}), IsEmpty());
}

TEST(SizeBetween, IsTheGeometricMeanToTheKibibyteAndBelowToANumber) {
  EXPECT_EQ(size_between(4 << 10, 16 << 10), 8u << 10);
  EXPECT_EQ(size_between(16 << 10, 32 << 10), 23u << 10);
  EXPECT_EQ(size_between(4 << 20, 16 << 20), 8u << 20);
  EXPECT_EQ(size_between(1 << 10, 2 << 10), 1u << 10);
  EXPECT_EQ(size_between(8, 128), 32u);
  EXPECT_EQ(size_between(128, 1 << 10), 360u);
  EXPECT_EQ(size_between(8, 16), 8u);
  EXPECT_EQ(size_between(0, 0), 0u);
}

}  // namespace
}  // namespace nmt::sampler
