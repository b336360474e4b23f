// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/verdict.h"
#include "tuner/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace nmt {
namespace {

using testing::ElementsAre;

// A duel at a size with this log ratio and doubt, over so many repetitions in one round.
Duel duel(std::uint64_t size_bytes, double log_ratio, double doubt, std::size_t repetitions = 8) {
  const std::vector<double> side(repetitions, 0.0);
  return {.size_bytes = size_bytes,
          .rounds = {{side, side}},
          .below_ns = 1000,
          .log_ratio = log_ratio,
          .doubt = doubt};
}

// Equal doubts at sizes 1, 2, 4 ...
Bouts bouts_of(const std::vector<double>& log_ratios, double doubt = 0.01) {
  std::vector<Duel> duels;
  for (std::size_t i = 0; i < log_ratios.size(); ++i) {
    duels.push_back(duel(std::uint64_t{1} << i, log_ratios[i], doubt));
  }
  return make_bouts(duels);
}

ChosenSides judge(const Bouts& bouts) { return nmt::judge(bouts, log_ratios_of(bouts)); }

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
  EXPECT_THAT(judge(bouts_of({0.3, 0.2, 0.1, -0.1, -0.2})),
              ElementsAre(false, false, false, true, true));
}

TEST(Judge, NeverChangesWhereOneSideAlwaysWins) {
  EXPECT_THAT(judge(bouts_of({0.3, 0.2, 0.1})), ElementsAre(false, false, false));
  EXPECT_THAT(judge(bouts_of({-0.3, -0.2, -0.1})), ElementsAre(true, true, true));
}

TEST(Judge, KeepsAnIslandThatIsProven) {
  EXPECT_THAT(judge(bouts_of({0.3, 0.3, -0.1, 0.3, 0.3})),
              ElementsAre(false, false, true, false, false));
}

TEST(Judge, DropsAnIslandThatNoiseCouldMake) {
  EXPECT_THAT(judge(bouts_of({0.3, 0.3, -0.04, 0.3, 0.3})),
              ElementsAre(false, false, false, false, false));
}

TEST(Judge, KeepsAnIslandOfSeveralSizesThatNoneCouldKeepAlone) {
  EXPECT_THAT(judge(bouts_of({0.3, -0.035, -0.035, -0.035, 0.3})),
              ElementsAre(false, true, true, true, false));
}

TEST(Judge, DoesNotChangeForWhatCountsAsEqual) {
  // Known to a hundredth of a percent, and still not worth a change.
  const Bouts some = bouts_of({0.009, 0.009, -0.009, -0.009, 0.009}, 1e-4);
  EXPECT_EQ(count_changes(judge(some)), 0u);
}

TEST(Judge, PlacesAChangeByTheLeastSlowdownWhereNothingIsProven) {
  EXPECT_THAT(judge(bouts_of({0.3, 0.3, 0.008, -0.002, 0.004, -0.009, -0.3, -0.3})),
              ElementsAre(false, false, false, false, false, true, true, true));
}

TEST(Judge, IsNotBoughtByOneWildPairOfRepetitions) {
  std::vector<Duel> duels;
  for (std::size_t i = 0; i < 7; ++i) duels.push_back(duel(std::uint64_t{1} << i, 0.05, 0.01));
  duels[3] = duel(8, -3, 0, 1);
  const ChosenSides verdict = judge(make_bouts(duels));
  EXPECT_EQ(count_changes(verdict), 0u);
  EXPECT_FALSE(verdict[0]);
}

TEST(Judge, IsNotPulledByASizeThatWasMeasuredBadly) {
  std::vector<Duel> duels;
  for (std::size_t i = 0; i < 8; ++i) {
    duels.push_back(duel(std::uint64_t{1} << i, i < 5 ? 0.05 : -0.05, 0.01));
  }
  duels[1].log_ratio = -2;
  duels[1].doubt = 1;
  EXPECT_THAT(judge(make_bouts(duels)),
              ElementsAre(false, false, false, false, false, true, true, true));
}

TEST(Doubts, GrowWhereRoundsDifferMoreThanTheirRepetitions) {
  Duel steady = duel(1, 0, 0.001);
  Duel swaying = duel(2, 0, 0.001);
  steady.rounds.assign(6, {{0, 0}, {0, 0}});
  swaying.rounds.clear();
  for (const double ratio : {-0.1, 0.1, -0.1, 0.1, -0.1, 0.1}) {
    swaying.rounds.push_back({{0, 0}, {ratio, ratio}});
  }
  const Bouts both = make_bouts({steady, swaying});
  EXPECT_GT(both[1].doubt, 0.04);
  EXPECT_LT(both[0].doubt, both[1].doubt);
}

TEST(Doubts, OfAFewRoundsAreLearntFromTheOtherSizes) {
  std::vector<Duel> duels;
  for (std::uint64_t size = 1; size <= 16; ++size) {
    duels.push_back(duel(size, 0, 0.001));
    duels.back().rounds = {{{0}, {-0.05}}, {{0}, {0.05}}};
  }
  duels.push_back(duel(17, 0, 0.001));  // one round, whose repetitions agree
  EXPECT_GT(make_bouts(duels).back().doubt, 0.05);
}

TEST(Doubts, OfOneSizeAreAtLeastHalfOfTheTypical) {
  const Bouts some = make_bouts({duel(1, 0, 0.01), duel(2, 0, 0.0), duel(4, 0, 0.01)});
  EXPECT_DOUBLE_EQ(some[1].doubt, 0.005);
}

double total_cost(const Bouts& bouts, const ChosenSides& verdict) {
  double total = kChangePrice * static_cast<double>(count_changes(verdict));
  for (std::size_t i = 0; i < bouts.size(); ++i) {
    total += cost(bouts[i], bouts[i].duel.log_ratio, verdict[i]);
  }
  return total;
}

TEST(Judge, IsAsGoodAsTryingEveryVerdict) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> ratio(0, 0.05);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> log_ratios(1 + random() % 9);
    for (double& log_ratio : log_ratios) log_ratio = ratio(random);
    const Bouts some = bouts_of(log_ratios);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned bits = 0; bits < 1u << some.size(); ++bits) {
      ChosenSides verdict(some.size());
      for (std::size_t i = 0; i < some.size(); ++i) verdict[i] = (bits >> i & 1) != 0;
      least = std::min(least, total_cost(some, verdict));
    }
    EXPECT_NEAR(total_cost(some, judge(some, log_ratios)), least, 1e-9);
  }
}

}  // namespace
}  // namespace nmt
