// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/method_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

const CurveKey kCopy = {"transfer", "copy", ""};
const CurveKey kIovec = {"transfer", "iovec", ""};
const CurveKey kRendezvous = {"transfer", "rendezvous", ""};
const CurveKey kEagerCopy = {"eager", "copy", ""};
const CurveKey kEagerIovec = {"eager", "iovec", ""};

constexpr std::uint64_t kSize = 1024;

std::optional<MethodComparison> compare_iovec(const Rounds& copy, const Rounds& iovec) {
  const Cells cells = {{kCopy, {{kSize, copy}}}, {kIovec, {{kSize, iovec}}}};
  return compare_methods(DecisionKind::kIovec, cells, kSize, {});
}

TEST(MethodComparison, TakesTheMedianOfAllRatiosOfOneRound) {
  // Ratios 2, 3, 4 and 1, 1.5, 2: the middle two are 2.
  const auto comparison = compare_iovec({{1, {100, 200}}}, {{1, {200, 300, 400}}});
  ASSERT_TRUE(comparison);
  EXPECT_DOUBLE_EQ(comparison->log_ratio, std::log(2.0));
  EXPECT_DOUBLE_EQ(comparison->below_ns, 150);
}

TEST(MethodComparison, ComparesInsideRoundsOnly) {
  // The machine is ten times slower in round 2, and copy was measured there more often.
  const auto comparison =
      compare_iovec({{1, {100}}, {2, {1000, 1000, 1000}}}, {{1, {110}}, {2, {1100}}});
  EXPECT_NEAR(comparison->log_ratio, std::log(1.1), 1e-12);
}

TEST(MethodComparison, IgnoresRoundsThatOneSideMissed) {
  const auto comparison = compare_iovec({{1, {100}}, {3, {5}}}, {{1, {110}}, {2, {7}}});
  EXPECT_EQ(comparison->rounds.size(), 1u);
  EXPECT_NEAR(comparison->log_ratio, std::log(1.1), 1e-12);
}

TEST(MethodComparison, DoesNotTakePlaceWithoutASharedRound) {
  EXPECT_FALSE(compare_iovec({{1, {100}}}, {{2, {110}}}));
  EXPECT_FALSE(
      compare_methods(DecisionKind::kIovec, {{kCopy, {{kSize, {{1, {100}}}}}}}, kSize, {}));
  EXPECT_FALSE(compare_methods(DecisionKind::kIovec, {}, kSize, {}));
}

TEST(MethodComparison, IsNotDecidedByOutliersOfAQuarterOfTheRepetitions) {
  const auto comparison = compare_iovec({{1, {100, 101, 2000, 102}}, {2, {100, 101, 102, 2020}}},
                                        {{1, {110, 111, 112, 113}}, {2, {110, 111, 112, 113}}});
  EXPECT_NEAR(comparison->log_ratio, std::log(1.1), 0.01);
  EXPECT_LT(comparison->standard_error, 0.02);
}

TEST(MethodComparison, DoubtsItsRatioByAsMuchAsItErrs) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  for (const std::size_t rounds : {1u, 2u, 10u}) {
    int within = 0;
    constexpr int kTrials = 500;
    for (int trial = 0; trial < kTrials; ++trial) {
      Rounds copy, iovec;
      for (std::size_t round = 0; round < rounds; ++round) {
        for (int i = 0; i < 8; ++i) {
          copy[round].push_back(100 * std::exp(noise(random)));
          iovec[round].push_back(120 * std::exp(noise(random)));
        }
      }
      const auto comparison = compare_iovec(copy, iovec);
      within += std::abs(comparison->log_ratio - std::log(1.2)) <= comparison->standard_error;
    }
    EXPECT_NEAR(within, 0.68 * kTrials, 0.08 * kTrials) << rounds;
  }
}

TEST(MethodComparison, OfAVeryLongRoundTakesLinearTime) {
  const std::vector<double> long_round(100000, 100);
  const auto comparison = compare_iovec({{1, long_round}}, {{1, long_round}});
  EXPECT_EQ(comparison->log_ratio, 0);
}

TEST(MethodComparison, TakesTheBetterWayOfSendingEagerly) {
  const Cells cells = {{kEagerCopy, {{kSize, {{1, {100}}}}}},
                       {kEagerIovec, {{kSize, {{1, {90}}}}}},
                       {kRendezvous, {{kSize, {{1, {99}}}}}}};
  const auto comparison = compare_methods(DecisionKind::kRendezvous, cells, kSize, {});
  EXPECT_NEAR(comparison->log_ratio, std::log(1.1), 1e-12);
  EXPECT_EQ(comparison->below_ns, 90);
}

TEST(MethodComparison, TakesTheBetterVariantOfAMethod) {
  const CurveKey inlined = {"transfer", "copy", "inline"};
  const Cells cells = {{kCopy, {{kSize, {{1, {100}}}}}},
                       {inlined, {{kSize, {{1, {80}}}}}},
                       {kIovec, {{kSize, {{1, {88}}}}}}};
  EXPECT_NEAR(compare_methods(DecisionKind::kIovec, cells, kSize, {})->log_ratio, std::log(1.1),
              1e-12);
}

PlanCurve transfer_curve(const std::string& method, double duration_ns) {
  const Curve flat({{1, duration_ns}, {1e6, duration_ns}});
  return {.benchmark = "transfer", .method = method, .duration = flat, .low = flat, .high = flat};
}

// Where only copy was sent eagerly, the transfers say what iovec would have saved.
TEST(MethodComparison, AsksTheTransfersAboutAMethodThatWasNotSentEagerly) {
  const Cells cells = {{kEagerCopy, {{kSize, {{1, {100}}}}}},
                       {kRendezvous, {{kSize, {{1, {100}}}}}}};
  const std::vector<PlanCurve> better = {transfer_curve("copy", 80), transfer_curve("iovec", 60)};
  EXPECT_NEAR(compare_methods(DecisionKind::kRendezvous, cells, kSize, better)->log_ratio,
              std::log(100.0 / 80.0), 1e-12);
  const std::vector<PlanCurve> worse = {transfer_curve("copy", 80), transfer_curve("iovec", 95)};
  EXPECT_EQ(compare_methods(DecisionKind::kRendezvous, cells, kSize, worse)->log_ratio, 0);
  EXPECT_EQ(compare_methods(DecisionKind::kRendezvous, cells, kSize, {})->log_ratio, 0);
}

TEST(MethodComparison, NeverPromisesMoreOfAMissingMethodThanItsTransferTakes) {
  const Cells cells = {{kEagerCopy, {{kSize, {{1, {100}}}}}},
                       {kRendezvous, {{kSize, {{1, {100}}}}}}};
  const std::vector<PlanCurve> odd = {transfer_curve("copy", 150), transfer_curve("iovec", 90)};
  EXPECT_NEAR(compare_methods(DecisionKind::kRendezvous, cells, kSize, odd)->log_ratio,
              std::log(100.0 / 90.0), 1e-12);
}

// An aggregate of two is one packet of twice the size.
TEST(MethodComparison, AsksTheTransfersOfTheSizeThatIsSent) {
  const Cells cells = {{{"aggregate", "copy", ""}, {{kSize, {{1, {100}}}}}},
                       {{"two_packets", "copy", ""}, {{kSize, {{1, {100}}}}}}};
  std::vector<PlanCurve> curves = {transfer_curve("copy", 80), transfer_curve("iovec", 80)};
  curves[1].duration = Curve({{1, 80}, {kSize, 80}, {2 * kSize, 70}, {1e6, 70}});
  EXPECT_NEAR(compare_methods(DecisionKind::kAggregation, cells, kSize, curves)->log_ratio,
              std::log(100.0 / 90.0), 1e-12);
}

TEST(Slowdown, IsThatOfTheChosenSideOnly) {
  EXPECT_NEAR(slowdown(std::log(1.5), true), 0.5, 1e-12);
  EXPECT_EQ(slowdown(std::log(1.5), false), 0);
  EXPECT_NEAR(slowdown(-std::log(1.5), false), 0.5, 1e-12);
}

TEST(RegretOfARatio, IsZeroInsideTheEquivalenceZone) {
  EXPECT_EQ(regret(std::log1p(0.99 * kEquivalence), true), 0);
  EXPECT_NEAR(regret(std::log1p(1.01 * kEquivalence), true), 1.01 * kEquivalence, 1e-12);
}

}  // namespace
}  // namespace nmt::tuner
