// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/stopping.h"

#include <gtest/gtest.h>

#include <random>

namespace nmt::sampler {
namespace {

using State = StoppingRule::State;

TEST(StoppingRule, WantsEightValuesHoweverAlikeTheyAre) {
  StoppingRule rule(0.02);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(rule.state(), State::kNeedsMore) << i;
    rule.add(100);
  }
  rule.add(100);
  EXPECT_EQ(rule.state(), State::kPrecise);
}

TEST(StoppingRule, IsPreciseOnceTheIntervalIsNarrowerThanAsked) {
  std::mt19937_64 random(1);
  std::normal_distribution<> noise(1000, 50);  // 5 %: the interval of n values is about 6 %/sqrt(n)
  StoppingRule rule(0.02);
  while (rule.state() == State::kNeedsMore) rule.add(noise(random));
  EXPECT_EQ(rule.state(), State::kPrecise);
  EXPECT_LE(rule.half_width(), 0.02);
  EXPECT_GT(rule.count(), 15u);
  EXPECT_LT(rule.count(), 100u);
}

TEST(StoppingRule, OutliersDoNotKeepItGoing) {
  StoppingRule rule(0.02);
  for (int i = 0; i < 40; ++i) rule.add(i % 10 == 0 ? 20000 : 1000 + i % 3);
  EXPECT_EQ(rule.state(), State::kPrecise);
}

TEST(StoppingRule, GivesUpAtTheCapOnAValueThatNeverSettles) {
  StoppingRule rule(0.02, 30);
  for (int i = 0; i < 30; ++i) rule.add(i % 2 == 0 ? 1000 : 2000);
  EXPECT_EQ(rule.state(), State::kCapped);
  EXPECT_GT(rule.half_width(), 0.02);
}

TEST(StoppingRule, DoubtsEverythingWithoutValues) {
  EXPECT_EQ(StoppingRule(0.02).half_width(), 1);
  EXPECT_EQ(StoppingRule(0.02).state(), State::kNeedsMore);
}

}  // namespace
}  // namespace nmt::sampler
