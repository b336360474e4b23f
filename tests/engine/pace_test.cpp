// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pace.h"

#include <gtest/gtest.h>

#include <cmath>
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
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.1001);
  for (int i = 0; i < 30; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  pace.observe(kSizeBytes, 1e6, 1);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.0101);
}

TEST(Pace, FollowsSoonWhereTransfersKeepDiffering) {
  Pace pace;
  for (int i = 0; i < 100; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  for (int i = 0; i < 3; ++i) pace.observe(kSizeBytes, 1e6, 1.8e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1.8, 0.01);
  for (int i = 0; i < 3; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.01);
}

TEST(Pace, IsNotMovedByDisturbancesNowAndThen) {
  Pace pace;
  for (int i = 0; i < 400; ++i) pace.observe(kSizeBytes, 1e6, i % 10 == 0 ? 5e6 : 1e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.02);
}

TEST(Pace, OfASizeThatWasNotSentIsThatOfTheNearest) {
  Pace pace;
  for (int i = 0; i < 9; ++i) {
    pace.observe(1000, 1e6, 0.9e6);
    pace.observe(kSizeBytes, 1e6, 1.2e6);
  }
  for (const std::uint64_t size_bytes : {1ul, 100ul, 1000ul}) {
    EXPECT_NEAR(pace.factor(size_bytes), 0.9, 0.01) << size_bytes;
  }
  for (const std::uint64_t size_bytes : {kSizeBytes / 2, kSizeBytes, kSizeBytes * 100}) {
    EXPECT_NEAR(pace.factor(size_bytes), 1.2, 0.01) << size_bytes;
  }
  EXPECT_TRUE(pace.knows(kSizeBytes));
  EXPECT_FALSE(pace.knows(kSizeBytes * 4));
}

TEST(Pace, HasNoStepsBetweenSizes) {
  Pace pace;
  for (int i = 0; i < 9; ++i) {
    pace.observe(1 << 20, 1e6, 1e6);
    pace.observe(4 << 20, 1e6, 2e6);
  }
  double before = pace.factor(1 << 20);
  for (std::uint64_t size_bytes = 1 << 20; size_bytes <= 4 << 20; size_bytes += 1 << 16) {
    const double factor = pace.factor(size_bytes);
    EXPECT_GE(factor, before - 1e-9);
    EXPECT_LE(factor, before + 0.11);
    before = factor;
  }
}

TEST(Pace, OfSmallMessagesIsTheShortestOfTheLastFew) {
  Pace pace(Pace::Estimate::kShortest);
  for (const double actual_ns : {30e3, 21e3, 500e3, 25e3}) pace.observe(64, 20e3, actual_ns);
  EXPECT_NEAR(pace.factor(64), 1.05, 0.001);
  for (int i = 0; i < 5; ++i) pace.observe(64, 20e3, 40e3);
  EXPECT_NEAR(pace.factor(64), 2, 0.001);
}

TEST(Pace, OfSmallMessagesIsMovedLittleByTheFirst) {
  Pace pace(Pace::Estimate::kShortest);
  pace.observe(64, 20e3, 1e6);
  EXPECT_NEAR(pace.factor(64), 1.1, 0.001);
  pace.observe(64, 20e3, 21e3);
  EXPECT_NEAR(pace.factor(64), 1.05, 0.001);
}

TEST(Pace, IsTheProfilesAgainOnceManyMessagesWentAnotherWay) {
  Pace pace;
  for (const int patience : {64, 128}) {
    for (int i = 0; i < 9; ++i) pace.observe(kSizeBytes, 1e6, 1.5e6);
    for (int i = 1; i < patience; ++i) pace.pass_over(kSizeBytes);
    EXPECT_NEAR(pace.factor(kSizeBytes), 1.5, 0.01);
    pace.pass_over(kSizeBytes);
    EXPECT_EQ(pace.factor(kSizeBytes), 1);
    EXPECT_TRUE(pace.knows(kSizeBytes));
    pace.take(kSizeBytes);
    EXPECT_NEAR(pace.factor(kSizeBytes), 1.5, 0.01);  // until the transfer has completed
    pace.observe(kSizeBytes, 1e6, 1e6);
    EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.01);
  }
}

TEST(Pace, StaysWhereOnlySomeMessagesGoAnotherWay) {
  Pace pace;
  for (int i = 0; i < 9; ++i) pace.observe(kSizeBytes, 1e6, 1.5e6);
  for (int i = 0; i < 1000; ++i) {
    pace.pass_over(kSizeBytes);
    if (i % 50 == 0) pace.take(kSizeBytes);
    EXPECT_NEAR(pace.factor(kSizeBytes), 1.5, 0.01);
  }
}

TEST(Paces, WholeMessagesAndChunksAreKeptApart) {
  Paces paces;
  for (int i = 0; i < 9; ++i) paces.observe(SentAs::kChunk, kSizeBytes, 1e6, 1.3e6);
  EXPECT_NEAR(paces.factor(SentAs::kWhole, kSizeBytes), 1.3, 0.01);  // the best guess so far
  for (int i = 0; i < 9; ++i) paces.observe(SentAs::kWhole, kSizeBytes, 1e6, 1e6);
  EXPECT_NEAR(paces.factor(SentAs::kWhole, kSizeBytes), 1, 0.01);
  EXPECT_NEAR(paces.factor(SentAs::kChunk, kSizeBytes), 1.3, 0.01);
  EXPECT_EQ(paces.factor(SentAs::kSmall, 64), 1);
}

TEST(Pace, HasLimitsAndForgets) {
  Pace pace;
  for (int i = 0; i < 1000; ++i) pace.observe(kSizeBytes, 1e6, 1e9);
  EXPECT_EQ(pace.factor(kSizeBytes), 8);
  for (int i = 0; i < 300; ++i) pace.observe(kSizeBytes, 1e6, 1e6);
  EXPECT_NEAR(pace.factor(kSizeBytes), 1, 0.01);
}

TEST(Pace, IgnoresDurationsThatCannotBe) {
  Pace pace;
  pace.observe(kSizeBytes, 0, 1e6);
  pace.observe(kSizeBytes, std::nan(""), 1e6);
  EXPECT_EQ(pace.factor(kSizeBytes), 1);
  EXPECT_FALSE(pace.knows(kSizeBytes));
  pace.observe(kSizeBytes, 1e6, -5);  // clocks differ by chance; at least it is known
  EXPECT_NEAR(pace.factor(kSizeBytes), 0.9, 0.001);
  EXPECT_TRUE(pace.knows(kSizeBytes));
}

}  // namespace
}  // namespace nmt::engine
