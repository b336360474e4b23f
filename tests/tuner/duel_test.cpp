// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/duel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tuner/tuner.h"

namespace nmt {
namespace {

const CurveKey kCopy = {"transfer", "copy", ""};
const CurveKey kIovec = {"transfer", "iovec", ""};
const CurveKey kRendezvous = {"transfer", "rendezvous", ""};
const CurveKey kEagerCopy = {"eager", "copy", ""};
const CurveKey kEagerIovec = {"eager", "iovec", ""};

constexpr std::uint64_t kSize = 1024;

std::optional<Duel> iovec_duel(const Rounds& copy, const Rounds& iovec) {
  const Cells cells = {{kCopy, {{kSize, copy}}}, {kIovec, {{kSize, iovec}}}};
  return fight(DecisionKind::kIovec, cells, kSize, {});
}

TEST(Duel, TakesTheMedianOfAllRatiosOfOneRound) {
  // Ratios 2, 3, 4 and 1, 1.5, 2: the middle two are 2.
  const auto duel = iovec_duel({{1, {100, 200}}}, {{1, {200, 300, 400}}});
  ASSERT_TRUE(duel);
  EXPECT_DOUBLE_EQ(duel->log_ratio, std::log(2.0));
  EXPECT_DOUBLE_EQ(duel->below_ns, 150);
}

TEST(Duel, ComparesInsideRoundsOnly) {
  // The machine is ten times slower in round 2, and copy was measured there more often.
  const auto duel = iovec_duel({{1, {100}}, {2, {1000, 1000, 1000}}}, {{1, {110}}, {2, {1100}}});
  EXPECT_NEAR(duel->log_ratio, std::log(1.1), 1e-12);
}

TEST(Duel, IgnoresRoundsThatOneSideMissed) {
  const auto duel = iovec_duel({{1, {100}}, {3, {5}}}, {{1, {110}}, {2, {7}}});
  EXPECT_EQ(duel->rounds.size(), 1u);
  EXPECT_NEAR(duel->log_ratio, std::log(1.1), 1e-12);
}

TEST(Duel, DoesNotTakePlaceWithoutASharedRound) {
  EXPECT_FALSE(iovec_duel({{1, {100}}}, {{2, {110}}}));
  EXPECT_FALSE(fight(DecisionKind::kIovec, {{kCopy, {{kSize, {{1, {100}}}}}}}, kSize, {}));
  EXPECT_FALSE(fight(DecisionKind::kIovec, {}, kSize, {}));
}

TEST(Duel, IsNotDecidedByOutliersOfAQuarterOfTheRepetitions) {
  const auto duel = iovec_duel({{1, {100, 101, 2000, 102}}, {2, {100, 101, 102, 2020}}},
                               {{1, {110, 111, 112, 113}}, {2, {110, 111, 112, 113}}});
  EXPECT_NEAR(duel->log_ratio, std::log(1.1), 0.01);
  EXPECT_LT(duel->doubt, 0.02);
}

TEST(Duel, DoubtsItsRatioByAsMuchAsItErrs) {
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
      const auto duel = iovec_duel(copy, iovec);
      within += std::abs(duel->log_ratio - std::log(1.2)) <= duel->doubt;
    }
    EXPECT_NEAR(within, 0.68 * kTrials, 0.08 * kTrials) << rounds;
  }
}

TEST(Duel, OfAVeryLongRoundTakesLinearTime) {
  const std::vector<double> long_round(100000, 100);
  const auto duel = iovec_duel({{1, long_round}}, {{1, long_round}});
  EXPECT_EQ(duel->log_ratio, 0);
}

TEST(Duel, TakesTheBetterWayOfSendingEagerly) {
  const Cells cells = {{kEagerCopy, {{kSize, {{1, {100}}}}}},
                       {kEagerIovec, {{kSize, {{1, {90}}}}}},
                       {kRendezvous, {{kSize, {{1, {99}}}}}}};
  const auto duel = fight(DecisionKind::kRendezvous, cells, kSize, {});
  EXPECT_NEAR(duel->log_ratio, std::log(1.1), 1e-12);
  EXPECT_EQ(duel->below_ns, 90);
}

TEST(Duel, TakesTheBetterVariantOfAMethod) {
  const CurveKey inlined = {"transfer", "copy", "inline"};
  const Cells cells = {{kCopy, {{kSize, {{1, {100}}}}}},
                       {inlined, {{kSize, {{1, {80}}}}}},
                       {kIovec, {{kSize, {{1, {88}}}}}}};
  EXPECT_NEAR(fight(DecisionKind::kIovec, cells, kSize, {})->log_ratio, std::log(1.1), 1e-12);
}

PlanCurve transfer_curve(const std::string& method, double duration_ns) {
  const Curve flat({{1, duration_ns}, {1e6, duration_ns}});
  return {.benchmark = "transfer", .method = method, .duration = flat, .low = flat, .high = flat};
}

// Where only copy was sent eagerly, the transfers say what iovec would have saved.
TEST(Duel, AsksTheTransfersAboutAMethodThatWasNotSentEagerly) {
  const Cells cells = {{kEagerCopy, {{kSize, {{1, {100}}}}}},
                       {kRendezvous, {{kSize, {{1, {100}}}}}}};
  const std::vector<PlanCurve> better = {transfer_curve("copy", 80), transfer_curve("iovec", 60)};
  EXPECT_NEAR(fight(DecisionKind::kRendezvous, cells, kSize, better)->log_ratio,
              std::log(100.0 / 80.0), 1e-12);
  const std::vector<PlanCurve> worse = {transfer_curve("copy", 80), transfer_curve("iovec", 95)};
  EXPECT_EQ(fight(DecisionKind::kRendezvous, cells, kSize, worse)->log_ratio, 0);
  EXPECT_EQ(fight(DecisionKind::kRendezvous, cells, kSize, {})->log_ratio, 0);
}

TEST(Duel, NeverPromisesMoreOfAMissingMethodThanItsTransferTakes) {
  const Cells cells = {{kEagerCopy, {{kSize, {{1, {100}}}}}},
                       {kRendezvous, {{kSize, {{1, {100}}}}}}};
  const std::vector<PlanCurve> odd = {transfer_curve("copy", 150), transfer_curve("iovec", 90)};
  EXPECT_NEAR(fight(DecisionKind::kRendezvous, cells, kSize, odd)->log_ratio,
              std::log(100.0 / 90.0), 1e-12);
}

// An aggregate of two is one packet of twice the size.
TEST(Duel, AsksTheTransfersOfTheSizeThatIsSent) {
  const Cells cells = {{{"aggregate", "copy", ""}, {{kSize, {{1, {100}}}}}},
                       {{"two_packets", "copy", ""}, {{kSize, {{1, {100}}}}}}};
  std::vector<PlanCurve> curves = {transfer_curve("copy", 80), transfer_curve("iovec", 80)};
  curves[1].duration = Curve({{1, 80}, {kSize, 80}, {2 * kSize, 70}, {1e6, 70}});
  EXPECT_NEAR(fight(DecisionKind::kAggregation, cells, kSize, curves)->log_ratio,
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
}  // namespace nmt
