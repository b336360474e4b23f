// SPDX-License-Identifier: BSD-3-Clause
#include "core/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

std::vector<double> random_values(std::size_t n, std::mt19937_64& random) {
  std::lognormal_distribution<double> duration(5, 0.5);
  std::vector<double> values(n);
  for (double& value : values) value = duration(random);
  return values;
}

TEST(Median, IsTheMiddleValueOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_EQ(median(std::vector<double>{9, 1, 5}), 5);
  EXPECT_EQ(median(std::vector<double>{9, 1, 5, 3}), 4);
}

TEST(Median, IsNotMovedByOutliersThatAreFewerThanHalf) {
  EXPECT_EQ(median(std::vector<double>{10, 11, 12, 1e9, 1e12}), 12);
}

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  const std::vector<double> values = {40, 10, 30, 20, 50};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 1), 50);
  EXPECT_EQ(quantile(values, 0.5), 30);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 14);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 46);
}

TEST(Quantile, NeverDecreasesWithItsFraction) {
  std::mt19937_64 random(1);
  for (std::size_t n = 1; n < 40; ++n) {
    const std::vector<double> values = random_values(n, random);
    double last = 0;
    for (int percent = 0; percent <= 100; ++percent) {
      const double value = quantile(values, percent / 100.0);
      EXPECT_GE(value, last);
      last = value;
    }
  }
}

TEST(InterquartileMean, AveragesTheCentralHalf) {
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{3}), 3);
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{1, 2, 4, 1000}), 3);
  // Of five values 1.25 are cut at each end: the second and fourth count three quarters.
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{0, 10, 20, 40, 1000}),
                   (0.75 * 10 + 20 + 0.75 * 40) / 2.5);
}

TEST(InterquartileMean, LiesBetweenTheQuartiles) {
  std::mt19937_64 random(2);
  for (std::size_t n = 4; n < 60; ++n) {
    std::vector<double> values = random_values(n, random);
    const double mean = interquartile_mean(values);
    std::sort(values.begin(), values.end());
    EXPECT_GE(mean, values[n / 4]);
    EXPECT_LE(mean, values[n - 1 - n / 4]);
  }
}

TEST(MedianAbsoluteDeviation, IsTheMedianDistanceFromTheMedian) {
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{1, 2, 4, 8, 1000}), 3);
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{5, 5, 5}), 0);
}

TEST(Statistics, FollowScaleAndIgnoreOrder) {
  std::mt19937_64 random(3);
  std::vector<double> values = random_values(37, random);
  std::vector<double> doubled = values;
  for (double& value : doubled) value *= 2;
  std::shuffle(doubled.begin(), doubled.end(), random);
  EXPECT_DOUBLE_EQ(median(doubled), 2 * median(values));
  EXPECT_DOUBLE_EQ(interquartile_mean(doubled), 2 * interquartile_mean(values));
  EXPECT_DOUBLE_EQ(median_absolute_deviation(doubled), 2 * median_absolute_deviation(values));
  EXPECT_EQ(median_interval(doubled).low, 2 * median_interval(values).low);
  EXPECT_EQ(median_interval(doubled).high, 2 * median_interval(values).high);
}

TEST(MedianInterval, TakesTheOrderStatisticsOfItsFormula) {
  std::vector<double> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  // 50 - 9.8 and 51 + 9.8, rounded outwards: the published ranks 40 and 61.
  EXPECT_EQ(median_interval(values), (Interval{40, 61}));
}

TEST(MedianInterval, IsTheExtremesOfFewValues) {
  EXPECT_EQ(median_interval(std::vector<double>{4}), (Interval{4, 4}));
  EXPECT_EQ(median_interval(std::vector<double>{4, 1, 3}), (Interval{1, 4}));
}

TEST(MedianInterval, CoversTheTrueMedianAsOftenAsItSays) {
  constexpr int kTrials = 2000;
  for (const std::size_t n : {8u, 15u, 40u, 101u}) {
    std::mt19937_64 random(n);
    std::exponential_distribution<double> skewed;
    const double truth = std::log(2.0);
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(n);
      for (double& value : values) value = skewed(random);
      const Interval interval = median_interval(values);
      covered += interval.low <= truth && truth <= interval.high;
    }
    EXPECT_GE(covered, kTrials * 0.94) << n;
    EXPECT_LE(covered, kTrials * 0.998) << n;
  }
}

TEST(BootstrapInterval, OfAMeanIsNearItsClosedForm) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(100, 5);
  std::vector<double> values(400);
  for (double& value : values) value = noise(random);
  const auto mean = [&](std::span<const std::size_t> indices) {
    double total = 0;
    for (const std::size_t index : indices) total += values[index];
    return total / static_cast<double>(indices.size());
  };
  const Interval interval = bootstrap_interval(values.size(), mean, random, 2000);
  const double half_width = 1.96 * 5 / std::sqrt(400.0);
  EXPECT_NEAR(interval.high - interval.low, 2 * half_width, 0.3 * half_width);
  EXPECT_NEAR((interval.high + interval.low) / 2, 100, 2 * half_width);
}

TEST(BootstrapInterval, IsTheSameForTheSameSeed) {
  const std::vector<double> values = {1, 4, 2, 8, 5, 7};
  const auto largest = [&](std::span<const std::size_t> indices) {
    double result = 0;
    for (const std::size_t index : indices) result = std::max(result, values[index]);
    return result;
  };
  std::mt19937_64 first(5), second(5);
  EXPECT_EQ(bootstrap_interval(values.size(), largest, first),
            bootstrap_interval(values.size(), largest, second));
}

TEST(Summary, CountsOperationsOfABatchOnce) {
  const std::vector<Repetition> repetitions = {
      {.total_ns = 1000, .batch = 10}, {.total_ns = 2200, .batch = 20}, {.total_ns = 120}};
  const Summary summary = summarize(repetitions);
  EXPECT_EQ(summary.n, 3u);
  EXPECT_EQ(summary.median_ns, 110);
  EXPECT_EQ(summary.low_ns, 100);
  EXPECT_EQ(summary.high_ns, 120);
}

TEST(Summary, LeavesDisturbedRepetitionsOut) {
  const std::vector<Repetition> repetitions = {{.total_ns = 100},
                                               {.total_ns = 900, .disturbed = true},
                                               {.total_ns = 101},
                                               {.total_ns = 102}};
  const Summary summary = summarize(repetitions);
  EXPECT_EQ(summary.n, 3u);
  EXPECT_EQ(summary.disturbed, 1u);
  EXPECT_EQ(summary.median_ns, 101);
  EXPECT_EQ(summary.p99_ns, quantile(std::vector<double>{100, 101, 102}, 0.99));
}

TEST(Summary, TakesAllWhereTooFewAreUndisturbed) {
  const std::vector<Repetition> repetitions = {{.total_ns = 100},
                                               {.total_ns = 300, .disturbed = true},
                                               {.total_ns = 200, .disturbed = true},
                                               {.total_ns = 101}};
  const Summary summary = summarize(repetitions);
  EXPECT_EQ(summary.n, 4u);
  EXPECT_EQ(summary.disturbed, 0u);
}

TEST(Summary, OfNothingIsZero) { EXPECT_EQ(summarize({}), Summary{}); }

}  // namespace
}  // namespace nmt
