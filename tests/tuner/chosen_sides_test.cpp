// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/chosen_sides.h"
#include "tuner/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace nmt::tuner {
namespace {

using testing::ElementsAre;

// A comparison at a size with this log ratio and doubt, over so many repetitions in one round.
MethodComparison comparison(std::uint64_t size_bytes, double log_ratio, double standard_error,
                            std::size_t repetitions = 8) {
  const std::vector<double> side(repetitions, 0.0);
  return {.size_bytes = size_bytes,
          .rounds = {{side, side}},
          .below_ns = 1000,
          .log_ratio = log_ratio,
          .standard_error = standard_error};
}

// Equal doubts at sizes 1, 2, 4 ...
SizeComparisons size_comparisons_of(const std::vector<double>& log_ratios,
                                    double standard_error = 0.01) {
  std::vector<MethodComparison> comparisons;
  for (std::size_t i = 0; i < log_ratios.size(); ++i) {
    comparisons.push_back(comparison(std::uint64_t{1} << i, log_ratios[i], standard_error));
  }
  return make_size_comparisons(comparisons);
}

ChosenSides choose_sides(const SizeComparisons& size_comparisons) {
  return nmt::tuner::choose_sides(size_comparisons, log_ratios_of(size_comparisons));
}

TEST(Shares, FillTheLogarithmicAxis) {
  const std::vector<std::uint64_t> sizes = {1, 2, 4, 1000, 1001, 65536};
  const std::vector<double> shares = shares_of(sizes);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
  // Halfway from 4 to 1000, and halfway from 1001 to 65536, on the axis of log(1 + size).
  const double from = (std::log(5.0) + std::log(1001.0)) / 2;
  const double to = (std::log(1002.0) + std::log(65537.0)) / 2;
  EXPECT_NEAR(shares[3] + shares[4], (to - from) / std::log(65537.0 / 2.0), 1e-12);
  EXPECT_EQ(shares_of(std::vector<std::uint64_t>{7}), std::vector<double>{1});
}

TEST(Judge, ChangesOnceWhereTheSignChanges) {
  EXPECT_THAT(choose_sides(size_comparisons_of({0.3, 0.2, 0.1, -0.1, -0.2})),
              ElementsAre(false, false, false, true, true));
}

TEST(Judge, NeverChangesWhereOneSideAlwaysWins) {
  EXPECT_THAT(choose_sides(size_comparisons_of({0.3, 0.2, 0.1})), ElementsAre(false, false, false));
  EXPECT_THAT(choose_sides(size_comparisons_of({-0.3, -0.2, -0.1})), ElementsAre(true, true, true));
}

TEST(Judge, KeepsAnIslandThatIsProven) {
  EXPECT_THAT(choose_sides(size_comparisons_of({0.3, 0.3, -0.1, 0.3, 0.3})),
              ElementsAre(false, false, true, false, false));
}

TEST(Judge, DropsAnIslandThatNoiseCouldMake) {
  EXPECT_THAT(choose_sides(size_comparisons_of({0.3, 0.3, -0.04, 0.3, 0.3})),
              ElementsAre(false, false, false, false, false));
}

TEST(Judge, KeepsAnIslandOfSeveralSizesThatNoneCouldKeepAlone) {
  EXPECT_THAT(choose_sides(size_comparisons_of({0.3, -0.035, -0.035, -0.035, 0.3})),
              ElementsAre(false, true, true, true, false));
}

TEST(Judge, DoesNotChangeForWhatCountsAsEqual) {
  // Known to a hundredth of a percent, and still not worth a change.
  const SizeComparisons some = size_comparisons_of({0.009, 0.009, -0.009, -0.009, 0.009}, 1e-4);
  EXPECT_EQ(count_changes(choose_sides(some)), 0u);
}

TEST(Judge, PlacesAChangeByTheLeastSlowdownWhereNothingIsProven) {
  EXPECT_THAT(
      choose_sides(size_comparisons_of({0.3, 0.3, 0.008, -0.002, 0.004, -0.009, -0.3, -0.3})),
      ElementsAre(false, false, false, false, false, true, true, true));
}

TEST(Judge, IsNotBoughtByOneWildPairOfRepetitions) {
  std::vector<MethodComparison> comparisons;
  for (std::size_t i = 0; i < 7; ++i)
    comparisons.push_back(comparison(std::uint64_t{1} << i, 0.05, 0.01));
  comparisons[3] = comparison(8, -3, 0, 1);
  const ChosenSides verdict = choose_sides(make_size_comparisons(comparisons));
  EXPECT_EQ(count_changes(verdict), 0u);
  EXPECT_FALSE(verdict[0]);
}

TEST(Judge, IsNotPulledByASizeThatWasMeasuredBadly) {
  std::vector<MethodComparison> comparisons;
  for (std::size_t i = 0; i < 8; ++i) {
    comparisons.push_back(comparison(std::uint64_t{1} << i, i < 5 ? 0.05 : -0.05, 0.01));
  }
  comparisons[1].log_ratio = -2;
  comparisons[1].standard_error = 1;
  EXPECT_THAT(choose_sides(make_size_comparisons(comparisons)),
              ElementsAre(false, false, false, false, false, true, true, true));
}

TEST(Doubts, GrowWhereRoundsDifferMoreThanTheirRepetitions) {
  MethodComparison steady = comparison(1, 0, 0.001);
  MethodComparison swaying = comparison(2, 0, 0.001);
  steady.rounds.assign(6, {{0, 0}, {0, 0}});
  swaying.rounds.clear();
  for (const double ratio : {-0.1, 0.1, -0.1, 0.1, -0.1, 0.1}) {
    swaying.rounds.push_back({{0, 0}, {ratio, ratio}});
  }
  const SizeComparisons both = make_size_comparisons({steady, swaying});
  EXPECT_GT(both[1].standard_error, 0.04);
  EXPECT_LT(both[0].standard_error, both[1].standard_error);
}

TEST(Doubts, OfAFewRoundsAreLearntFromTheOtherSizes) {
  std::vector<MethodComparison> comparisons;
  for (std::uint64_t size = 1; size <= 16; ++size) {
    comparisons.push_back(comparison(size, 0, 0.001));
    comparisons.back().rounds = {{{0}, {-0.05}}, {{0}, {0.05}}};
  }
  comparisons.push_back(comparison(17, 0, 0.001));  // one round, whose repetitions agree
  EXPECT_GT(make_size_comparisons(comparisons).back().standard_error, 0.05);
}

TEST(Doubts, OfOneSizeAreAtLeastHalfOfTheTypical) {
  const SizeComparisons some = make_size_comparisons(
      {comparison(1, 0, 0.01), comparison(2, 0, 0.0), comparison(4, 0, 0.01)});
  EXPECT_DOUBLE_EQ(some[1].standard_error, 0.005);
}

double total_cost(const SizeComparisons& size_comparisons, const ChosenSides& verdict) {
  double total = kChangePrice * static_cast<double>(count_changes(verdict));
  for (std::size_t i = 0; i < size_comparisons.size(); ++i) {
    total += cost(size_comparisons[i], size_comparisons[i].comparison.log_ratio, verdict[i]);
  }
  return total;
}

TEST(Judge, IsAsGoodAsTryingEveryVerdict) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> ratio(0, 0.05);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> log_ratios(1 + random() % 9);
    for (double& log_ratio : log_ratios) log_ratio = ratio(random);
    const SizeComparisons some = size_comparisons_of(log_ratios);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned bits = 0; bits < 1u << some.size(); ++bits) {
      ChosenSides verdict(some.size());
      for (std::size_t i = 0; i < some.size(); ++i) verdict[i] = (bits >> i & 1) != 0;
      least = std::min(least, total_cost(some, verdict));
    }
    EXPECT_NEAR(total_cost(some, choose_sides(some, log_ratios)), least, 1e-9);
  }
}

}  // namespace
}  // namespace nmt::tuner
