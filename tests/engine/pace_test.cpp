// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pace.h"

#include <gtest/gtest.h>

#include <random>

namespace nmt::engine {
namespace {

constexpr std::uint64_t kSizeBytes = 3 << 20;

TEST(Pace, IsTheProfilesBeforeAnythingCameThrough) {
  const Pace pace;
  for (const std::uint64_t size_bytes : {std::uint64_t{0}, kSizeBytes, ~std::uint64_t{0}}) {
    EXPECT_EQ(pace.factor(size_bytes), 1);
  }
}

TEST(Pace, BecomesWhatTransfersTakeOnAverage) {
  Pace pace;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.02);
  for (int i = 0; i < 200; ++i) pace.observe(kSizeBytes, 1e6, 1.05e6 * noise(random));
  EXPECT_NEAR(pace.factor(kSizeBytes), 1.05, 0.015);
}

TEST(Pace, OneDisturbedTransferMovesItLittle) {
  Pace pace;
  pace.observe(kSizeBytes, 1e6, 1e9);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.0401);
  for (int i = 0; i < 30; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  pace.observe(kSizeBytes, 1e6, 1);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.0101);
}

TEST(Pace, FollowsSoonWhereTransfersKeepDiffering) {
  Pace pace;
  for (int i = 0; i < 100; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  for (int i = 0; i < 20; ++i) pace.observe(kSizeBytes, 1e6, 1.8e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1.8, 0.1);
  for (int i = 0; i < 20; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.1);
}

TEST(Pace, IsNotMovedByDisturbancesNowAndThen) {
  Pace pace;
  for (int i = 0; i < 400; ++i) pace.observe(kSizeBytes, 1e6, i % 10 == 0 ? 5e6 : 1e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.02);
}

TEST(Pace, IsOfItsSizes) {
  Pace pace;
  for (int i = 0; i < 100; ++i) pace.observe(kSizeBytes, 1e6, 1.2e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1.2, 0.01);
  EXPECT_EQ(pace.factor(kSizeBytes / 2), 1);
  EXPECT_EQ(pace.factor(kSizeBytes * 2), 1);
}

TEST(Pace, HasLimitsAndForgets) {
  Pace pace;
  for (int i = 0; i < 1000; ++i) pace.observe(kSizeBytes, 1e6, 1e9);
  EXPECT_EQ(pace.factor(kSizeBytes), 2);
  for (int i = 0; i < 300; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.01);
}

TEST(Pace, IgnoresDurationsThatCannotBe) {
  Pace pace;
  pace.observe(kSizeBytes, 0, 1e6);
  pace.observe(kSizeBytes, 1e6, -5);
  EXPECT_EQ(pace.factor(kSizeBytes), 1);
}

}  // namespace
}  // namespace nmt::engine
