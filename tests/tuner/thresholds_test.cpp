// SPDX-License-Identifier: BSD-3-Clause
//
// Answers of the three decisions on planted rails: their names, positions and limits. How good
// they are is regret_test.cpp's question.
#include "tuner/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/planted.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

using planted::Campaigning;
using planted::measure;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 20;

RailPlan derive(const planted::Rail& rail, const Campaigning& campaigning) {
  const std::vector<SampleSet> sets = {measure(rail, campaigning, 1).set};
  return derive_plan(Id{}, sets, {}).rails.at(0);
}

Campaigning without_noise() {
  return {.sizes_bytes = planted::grid(kMaxSize, true), .rounds = 4, .noise = planted::kNone};
}

const Threshold& threshold(const RailPlan& rail, DecisionKind kind) {
  return *rail.find_threshold(kind);
}

TEST(Thresholds, OfTheIovecDecisionAreWherePublished) {
  for (const auto& [rail, bytes] :
       {std::pair{planted::jack(), 8.0}, std::pair{planted::joe(), 49.0},
        std::pair{planted::genepi(), 4096.0}}) {
    const RailPlan plan = derive(rail, without_noise());
    const Threshold& iovec = threshold(plan, DecisionKind::kIovec);
    EXPECT_EQ(iovec.answer, Answer::kThreshold);
    // Curves bend at the crossing, interpolation between the samples around it does not.
    EXPECT_NEAR(static_cast<double>(iovec.bytes.value()), bytes, 0.1 * bytes) << rail.name;
    EXPECT_THAT(iovec.ranges, ElementsAre(Range{0, iovec.bytes, "copy"},
                                          Range{*iovec.bytes, std::nullopt, "iovec"}));
    EXPECT_FALSE(iovec.bounded);
    EXPECT_EQ(iovec.regret, 0);
  }
}

TEST(Thresholds, OfTheRendezvousAreWherePublished) {
  const Threshold infini =
      threshold(derive(planted::infini(), without_noise()), DecisionKind::kRendezvous);
  EXPECT_EQ(infini.answer, Answer::kThreshold);
  EXPECT_NEAR(static_cast<double>(*infini.bytes), 17408, 1);  // both curves are straight there
  EXPECT_FALSE(infini.bounded);

  const Threshold genepi =
      threshold(derive(planted::genepi(), without_noise()), DecisionKind::kRendezvous);
  EXPECT_EQ(genepi.answer, Answer::kThreshold);
  EXPECT_EQ(genepi.bytes, 65536u);
  EXPECT_EQ(genepi.low_bytes, 65536u);
  EXPECT_EQ(genepi.high_bytes, 65536u);
  EXPECT_TRUE(genepi.bounded);
  EXPECT_EQ(genepi.regret, 0);  // at the bound eager would win, but is no choice
}

TEST(Thresholds, OfTheRendezvousAreBoundedByTheCampaignsOption) {
  Campaigning campaigning = without_noise();
  campaigning.max_unexpected_bytes = 8192;
  const RailPlan plan = derive(planted::infini(), campaigning);
  EXPECT_EQ(plan.max_unexpected_bytes, 8192u);
  EXPECT_EQ(threshold(plan, DecisionKind::kRendezvous).bytes, 8192u);
  EXPECT_TRUE(threshold(plan, DecisionKind::kRendezvous).bounded);
}

TEST(Thresholds, OfTheRendezvousLieBeforeTheBoundByTheHelpOfASampleThere) {
  Campaigning campaigning = without_noise();
  campaigning.sizes_bytes = {1, 8192, 32768};
  campaigning.max_unexpected_bytes = 32768;
  const Threshold rendezvous =
      threshold(derive(planted::infini(), campaigning), DecisionKind::kRendezvous);
  EXPECT_NEAR(static_cast<double>(*rendezvous.bytes), 17408, 1);
  EXPECT_FALSE(rendezvous.bounded);
}

TEST(Thresholds, OfTheRendezvousThatRoundUpToTheBoundAreBounded) {
  const auto cells_of = [](double small_ns, double large_ns) -> CellsBySize {
    const std::vector<double> small(8, small_ns), large(8, large_ns);
    return {{32768, {{1, small}}}, {65536, {{1, large}}}};
  };
  const Cells cells = {{{"eager", "copy", ""}, cells_of(1000, 1020)},
                       {{"transfer", "rendezvous", ""}, cells_of(1001000, 1000)}};
  const std::vector<Threshold> thresholds = derive_thresholds(cells, {}, 65536, 1);
  ASSERT_EQ(thresholds.size(), 1u);
  EXPECT_EQ(thresholds[0].bytes, 65536u);
  EXPECT_TRUE(thresholds[0].bounded);
}

TEST(Thresholds, OfTheRendezvousAreBoundedAsTheNewestCampaignSays) {
  std::vector<SampleSet> sets = {measure(planted::genepi(), without_noise(), 1).set,
                                 measure(planted::genepi(), without_noise(), 2).set};
  sets[0].campaign.started_utc = "2026-11-21T10:00:00Z";
  sets[0].campaign.options["max_unexpected_bytes"] = "16384";
  sets[1].campaign.started_utc = "2026-11-20T10:00:00Z";
  EXPECT_EQ(derive_plan(Id{}, sets, {}).rails[0].max_unexpected_bytes, 16384u);
  std::swap(sets[0], sets[1]);
  EXPECT_EQ(derive_plan(Id{}, sets, {}).rails[0].max_unexpected_bytes, 16384u);
}

TEST(Thresholds, OfTheRendezvousAreBoundedByTheOptionsWhereTheCampaignIsSilent) {
  std::vector<SampleSet> sets = {measure(planted::genepi(), without_noise(), 1).set};
  sets[0].campaign.options.clear();
  const Plan plan = derive_plan(Id{}, sets, {.max_unexpected_bytes = 32768});
  EXPECT_EQ(threshold(plan.rails[0], DecisionKind::kRendezvous).bytes, 32768u);
}

TEST(Thresholds, OfAggregationLieWhereTwoPacketsCostAsMuchAsOne) {
  const RailPlan plan = derive(planted::infini(), without_noise());
  const Threshold& aggregation = threshold(plan, DecisionKind::kAggregation);
  // 1.6 (4400 + 1.3 s) = 4400 + 2.6 s.
  EXPECT_EQ(aggregation.answer, Answer::kThreshold);
  EXPECT_NEAR(static_cast<double>(*aggregation.bytes), 0.6 * 4400 / (0.4 * 1.3), 1);
  EXPECT_EQ(aggregation.ranges.front().choice, "aggregate");
  EXPECT_EQ(aggregation.ranges.back().choice, "separate");
}

TEST(Thresholds, OfAggregationEndWhereTwoPacketsNeedARendezvous) {
  const RailPlan plan = derive(planted::joe(), without_noise());
  const std::uint64_t rendezvous = *threshold(plan, DecisionKind::kRendezvous).bytes;
  const Threshold& aggregation = threshold(plan, DecisionKind::kAggregation);
  EXPECT_EQ(aggregation.bytes, (rendezvous + 1) / 2);
  EXPECT_TRUE(aggregation.bounded);
}

TEST(Thresholds, AreAlwaysOrNeverWhereOneSideAlwaysWins) {
  planted::Rail rail = planted::infini();
  rail.iovec = sum(rail.copy, Curve({{0, 300}}));
  Threshold iovec = threshold(derive(rail, without_noise()), DecisionKind::kIovec);
  EXPECT_EQ(iovec.answer, Answer::kNever);
  EXPECT_EQ(iovec.bytes, std::nullopt);
  EXPECT_THAT(iovec.ranges, ElementsAre(Range{0, std::nullopt, "copy"}));

  std::swap(rail.copy, rail.iovec);
  iovec = threshold(derive(rail, without_noise()), DecisionKind::kIovec);
  EXPECT_EQ(iovec.answer, Answer::kAlways);
  EXPECT_EQ(iovec.bytes, 0u);
  EXPECT_THAT(iovec.ranges, ElementsAre(Range{0, std::nullopt, "iovec"}));
}

TEST(Thresholds, OfAggregationAreNeverWhereASecondPacketCostsNothing) {
  planted::Rail rail = planted::infini();
  rail.second_packet = 0;
  const RailPlan plan = derive(rail, without_noise());
  EXPECT_EQ(threshold(plan, DecisionKind::kAggregation).answer, Answer::kNever);
  EXPECT_EQ(threshold(plan, DecisionKind::kAggregation).bytes, std::nullopt);
}

TEST(Thresholds, AreRangesWhereTheUpperChoiceWinsBelow) {
  planted::Rail rail = planted::infini();
  std::swap(rail.copy, rail.iovec);
  const RailPlan plan = derive(rail, without_noise());
  const Threshold& iovec = threshold(plan, DecisionKind::kIovec);
  EXPECT_EQ(iovec.answer, Answer::kRanges);
  EXPECT_EQ(iovec.bytes, std::nullopt);
  EXPECT_EQ(iovec.choice_at(1), "iovec");
  EXPECT_EQ(iovec.choice_at(kMaxSize), "copy");
}

// Without cross-memory attach a shared memory rail has no rendezvous: there is nothing to decide,
// and nothing ends aggregation either.
TEST(Thresholds, AreAbsentWhereASideWasNotMeasured) {
  std::vector<SampleSet> sets = {measure(planted::infini(), without_noise(), 1).set};
  std::erase_if(sets[0].samples,
                [](const Sample& sample) { return sample.condition.method == "rendezvous"; });
  const Plan plan = derive_plan(Id{}, sets, {});
  EXPECT_EQ(plan.rails[0].find_threshold(DecisionKind::kRendezvous), nullptr);
  EXPECT_NE(plan.rails[0].find_threshold(DecisionKind::kIovec), nullptr);
  EXPECT_FALSE(threshold(plan.rails[0], DecisionKind::kAggregation).bounded);
}

TEST(Thresholds, AreForcedWhereNothingIsLeftToChoose) {
  Campaigning campaigning = without_noise();
  std::vector<SampleSet> sets = {measure(planted::infini(), campaigning, 1).set};
  sets[0].campaign.options["max_unexpected_bytes"] = "0";
  const Plan plan = derive_plan(Id{}, sets, {});
  const Threshold& rendezvous = threshold(plan.rails[0], DecisionKind::kRendezvous);
  EXPECT_EQ(rendezvous.answer, Answer::kAlways);
  EXPECT_TRUE(rendezvous.bounded);
  const Threshold& aggregation = threshold(plan.rails[0], DecisionKind::kAggregation);
  EXPECT_EQ(aggregation.answer, Answer::kNever);
  EXPECT_TRUE(aggregation.bounded);
}

TEST(Thresholds, HaveAnIntervalThatCoversTheTruthAsOftenAsItSays) {
  const planted::Rail rail = planted::infini();
  const double truth = 0.6 * 4400 / (0.4 * 1.3);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<SampleSet> sets = {
        measure(rail, {.sizes_bytes = planted::grid(kMaxSize)}, seed).set};
    const Plan plan = derive_plan(Id{}, sets, {});
    const Threshold& aggregation = threshold(plan.rails[0], DecisionKind::kAggregation);
    covered += static_cast<double>(aggregation.low_bytes) <= truth &&
               truth <= static_cast<double>(aggregation.high_bytes);
    EXPECT_LT(aggregation.high_bytes - aggregation.low_bytes, 4096u);
  }
  EXPECT_GE(covered, 90);
}

TEST(Thresholds, AreTheSameForTheSameSamplesAndSeed) {
  const std::vector<SampleSet> sets = {
      measure(planted::joe(), {.sizes_bytes = planted::grid(kMaxSize)}, 1).set};
  EXPECT_EQ(derive_plan(Id{}, sets, {}), derive_plan(Id{}, sets, {}));
}

TEST(Thresholds, ExpectMoreRegretFromFewerRepetitions) {
  double few = 0;
  double many = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto sizes = planted::grid(kMaxSize);
    const auto regret_of = [&](std::uint32_t rounds) {
      const std::vector<SampleSet> sets = {
          measure(planted::joe(), {.sizes_bytes = sizes, .rounds = rounds}, seed).set};
      return derive_plan(Id{}, sets, {}).rails[0].find_threshold(DecisionKind::kIovec)->regret;
    };
    few += regret_of(1);
    many += regret_of(30);
  }
  EXPECT_GT(few, 0.0005);
  EXPECT_LT(many, few / 2);
}

TEST(DerivePlan, OfNothingHasNoRails) {
  const Plan plan = derive_plan(Id{}, {}, {});
  EXPECT_THAT(plan.rails, IsEmpty());
  EXPECT_THAT(plan.campaigns, IsEmpty());
}

TEST(DerivePlan, NeverUsesWhatIsHeldOut) {
  Campaigning campaigning = {.sizes_bytes = planted::grid(kMaxSize)};
  const std::vector<SampleSet> without = {measure(planted::joe(), campaigning, 1).set};
  campaigning.held_out_bytes = {3, 100, 5000, 50000};
  std::vector<SampleSet> with = {measure(planted::joe(), campaigning, 1).set};
  ASSERT_GT(with[0].samples.size(), without[0].samples.size());
  // The same samples as before, and held-out ones that would change everything if they were used.
  for (Sample& sample : with[0].samples) {
    if (!sample.held_out) continue;
    for (Repetition& repetition : sample.repetitions) repetition.total_ns /= 100;
  }
  EXPECT_EQ(derive_plan(Id{}, with, {}), derive_plan(Id{}, without, {}));
}

TEST(DerivePlan, KeepsPathsRegimesAndPlacementsApart) {
  std::vector<SampleSet> sets = {measure(planted::joe(), without_noise(), 1).set,
                                 measure(planted::infini(), without_noise(), 1).set};
  const std::vector<Sample> hot = sets[0].samples;
  for (Sample sample : hot) {
    sample.condition.regime = "cold";
    sets[0].samples.push_back(sample);
    sample.condition.regime = "hot";
    sample.condition.busy_rails = "fake:infini";
    sets[0].samples.push_back(sample);
  }
  std::vector<std::string> found;
  for (const RailPlan& rail : derive_plan(Id{}, sets, {}).rails) {
    found.push_back(rail.rail + " " + rail.regime + " " + rail.busy_rails);
  }
  EXPECT_THAT(found, ElementsAre("fake:infini hot ", "fake:joe hot ", "fake:joe cold ",
                                 "fake:joe hot fake:infini"));
}

TEST(DerivePlan, LendsAPathWithFewSizesTheThresholdsOfTheMostSimilarOfItsRail) {
  const auto path = [](planted::Rail rail, const std::vector<std::uint64_t>& sizes_bytes,
                       const std::string& name, std::uint64_t seed) {
    rail.name = name;
    SampleSet set = measure(rail, {.sizes_bytes = sizes_bytes}, seed).set;
    set.path.id = set.campaign.id = Id::random();
    return set;
  };
  const std::vector<std::uint64_t> all = planted::grid(kMaxSize), few = {1, 64 << 10, 1 << 20};
  const std::vector<SampleSet> sets = {
      path(planted::infini(), all, "eth", 1), path(planted::joe(), all, "eth", 2),
      path(planted::joe(), few, "eth", 3),    path(planted::infini(), few, "eth", 4),
      path(planted::infini(), few, "ib", 5),
  };
  const Plan plan = derive_plan(Id{}, sets, {});
  const auto thresholds = [&](std::size_t set) {
    return std::ranges::find(plan.rails, sets[set].path.id, &RailPlan::path)->thresholds;
  };
  EXPECT_NE(thresholds(0), thresholds(1));
  EXPECT_EQ(thresholds(2), thresholds(1));
  EXPECT_EQ(thresholds(3), thresholds(0));
  EXPECT_NE(thresholds(4), thresholds(0)) << "of another rail";
}

TEST(DerivePlan, LeavesSamplesOfOtherModelsAlone) {
  std::vector<SampleSet> sets = {measure(planted::joe(), without_noise(), 1).set};
  const Plan before = derive_plan(Id{}, sets, {});
  sets[0].samples.push_back(sets[0].samples[0]);
  sets[0].samples.back().condition.benchmark = "alltoall";
  EXPECT_EQ(derive_plan(Id{}, sets, {}), before);
}

}  // namespace
}  // namespace nmt::tuner
