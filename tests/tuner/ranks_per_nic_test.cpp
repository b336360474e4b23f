// SPDX-License-Identifier: BSD-3-Clause
//
// One path that was measured by one rank of a node and by eight at a time.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/planted.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

constexpr std::int64_t kMany = 8;

std::vector<SampleSet> measured(const planted::Noise& noise,
                                const std::vector<std::uint64_t>& seeds) {
  // Eight ranks share the wire, which makes the copy of an eager message cheap beside it.
  const planted::Rail one = planted::joe(), many = planted::genepi();
  std::vector<SampleSet> sets;
  for (const std::uint64_t seed : seeds) {
    const planted::Campaigning campaigning{.sizes_bytes = planted::grid(1 << 18), .noise = noise};
    sets.push_back(planted::measure(one, campaigning, seed).set);
    sets.push_back(planted::measure(many, campaigning, 1000 + seed).set);
    sets.back().path = sets.front().path;
    for (Sample& sample : sets.back().samples) sample.condition.ranks_per_node = kMany;
  }
  return sets;
}

const RailPlan& plan_of(const Plan& plan, std::int64_t ranks) {
  return *std::ranges::find(plan.rails, ranks, &RailPlan::ranks_per_nic);
}

TEST(RanksPerNic, HaveThresholdsOfTheirOwnOnOnePath) {
  const Plan plan = derive_plan({}, measured(planted::kNone, {1}), {});
  ASSERT_EQ(plan.rails.size(), 2u);
  EXPECT_EQ(plan.rails.front().ranks_per_nic, 1);  // what is used most comes first
  EXPECT_TRUE(plan.rails.front().is_alone());
  const RailPlan& many = plan_of(plan, kMany);
  EXPECT_EQ(many.path, plan.rails.front().path);
  EXPECT_FALSE(many.is_alone());
  for (const DecisionKind kind : {DecisionKind::kIovec, DecisionKind::kRendezvous}) {
    const Plan alone_only = derive_plan({}, std::vector{measured(planted::kNone, {1}).front()}, {});
    EXPECT_EQ(*plan.rails.front().find_threshold(kind),
              *alone_only.rails.front().find_threshold(kind));
    EXPECT_NE(plan.rails.front().find_threshold(kind)->ranges, many.find_threshold(kind)->ranges);
  }
}

// Launches of eight ranks share no cell with those of one, so neither says how fast the other was.
TEST(RanksPerNic, OfSeveralLaunchesAreCentredApart) {
  const planted::Noise drift{
      .cv = 0, .outlier_rate = 0, .outlier_factor = 1, .session_drift = 0.08, .round_drift = 0};
  const std::vector<SampleSet> sets = measured(drift, {1, 2, 3, 4});
  const Plan together = derive_plan({}, sets, {});
  for (const std::int64_t ranks : {std::int64_t{1}, kMany}) {
    std::vector<SampleSet> apart;
    std::ranges::copy_if(sets, std::back_inserter(apart), [&](const SampleSet& set) {
      return std::max<std::int64_t>(set.samples.front().condition.ranks_per_node, 1) == ranks;
    });
    EXPECT_EQ(plan_of(together, ranks), derive_plan({}, apart, {}).rails.front()) << ranks;
  }
}

TEST(RanksPerNic, BesideBusyRailsFollowTheDecisionsOfAsMany) {
  std::vector<SampleSet> sets = measured(planted::kNone, {1});
  SampleSet beside = sets.back();
  for (Sample& sample : beside.samples) sample.condition.busy_rails = "fake:other";
  sets.push_back(beside);
  const Plan plan = derive_plan({}, sets, {});
  ASSERT_EQ(plan.rails.size(), 3u);
  const RailPlan& busy = *std::ranges::find(plan.rails, "fake:other", &RailPlan::busy_rails);
  EXPECT_EQ(busy.thresholds, plan_of(plan, kMany).thresholds);
}

TEST(RanksPerNic, AnswerForTheMostUpToTheNumberOrElseTheFewest) {
  const auto best = [](std::int64_t asked, std::vector<std::int64_t> measured) {
    return std::ranges::max(measured, {},
                            [&](std::int64_t number) { return fit_of_ranks(number, asked); });
  };
  EXPECT_EQ(best(8, {1, 2, 8, 16}), 8);
  EXPECT_EQ(best(15, {1, 2, 8, 16}), 8);
  EXPECT_EQ(best(1000, {1, 2, 8, 16}), 16);
  EXPECT_EQ(best(1, {16, 2, 1}), 1);
  EXPECT_EQ(best(2, {16, 4}), 4);
  EXPECT_EQ(best(0, {16, 4, 8}), 4);
}

}  // namespace
}  // namespace nmt::tuner
