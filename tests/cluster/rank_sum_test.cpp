// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/rank_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace nmt::cluster {
namespace {

// All ways to draw `n` of the values, counted.
double by_counting(const std::vector<double>& some, const std::vector<double>& others) {
  std::vector<double> all = some;
  all.insert(all.end(), others.begin(), others.end());
  const auto won = [&](const std::vector<bool>& drawn) {
    double pairs = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (drawn[i] && !drawn[j]) pairs += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
      }
    }
    return pairs;
  };
  std::vector<bool> drawn(all.size(), false);
  std::fill(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(some.size()), true);
  const double observed = won(drawn);
  std::sort(drawn.begin(), drawn.end());
  double as_high = 0, ways = 0;
  do {
    ++ways;
    if (won(drawn) >= observed) ++as_high;
  } while (std::next_permutation(drawn.begin(), drawn.end()));
  return as_high / ways;
}

TEST(RankSum, IsTheShareOfAllDrawsThatRankAsHigh) {
  const std::vector<double> some = {9, 7, 4}, others = {1, 2, 3, 5, 6, 4.5, 2.5, 0.5};
  EXPECT_NEAR(rank_sum_probability(some, others), by_counting(some, others), 1e-12);
}

TEST(RankSum, OfTheHighestIsOneDrawOfAll) {
  const std::vector<double> some = {10, 11, 12}, others = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_NEAR(rank_sum_probability(some, others), 1.0 / 120, 1e-12);
  EXPECT_NEAR(least_rank_sum_probability(3, 7), 1.0 / 120, 1e-12);
}

TEST(RankSum, InASetThatHoldsAPartIsThatAgainstTheRest) {
  const std::vector<double> own = {9, 7, 4}, others = {1, 2, 3, 5, 6, 4, 2.5, 7};
  std::vector<double> all = others;
  all.insert(all.end(), own.begin(), own.end());
  std::ranges::sort(all);
  EXPECT_EQ(rank_sum_probability_in(own, all, own), rank_sum_probability(own, others));
  const std::vector<double> raised = {10, 8, 5};
  EXPECT_EQ(rank_sum_probability_in(raised, all, own), rank_sum_probability(raised, others));
}

TEST(RankSum, OfNothingIsChance) {
  EXPECT_EQ(rank_sum_probability({}, std::vector<double>{1}), 1);
  EXPECT_EQ(rank_sum_probability(std::vector<double>{1}, {}), 1);
}

TEST(RankSum, OfManyValuesIsAboutAsOftenSmallAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  int below = 0;
  constexpr int kTimes = 2000;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> some(6), others(60);
    for (double& each : some) each = noise(random);
    for (double& each : others) each = noise(random);
    if (rank_sum_probability(some, others) <= 0.02) ++below;
  }
  EXPECT_NEAR(static_cast<double>(below) / kTimes, 0.02, 0.01);
}

TEST(Shift, IsTheMedianOfTheDifferences) {
  const std::vector<double> some = {11, 12, 13}, others = {1, 2, 3};
  const Shift shift = shift_between(some, others);
  EXPECT_EQ(shift.middle, 10);
  EXPECT_LE(shift.interval.low, 10);
  EXPECT_GE(shift.interval.high, 10);
}

}  // namespace
}  // namespace nmt::cluster
