// SPDX-License-Identifier: BSD-3-Clause
//
// No one size fits all: paper "sampling-based auto-tuning", IV-B, IV-C, figures 4 to 13.
#include <gtest/gtest.h>

#include "tests/tuner/planted.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

RailPlan plan_of(const planted::Rail& rail) {
  const planted::Campaigning campaigning = {
      .sizes_bytes = {1,    2,    4,    8,    16,    32,    64,    128,   256,    512,
                      1024, 2048, 4096, 8192, 16384, 17408, 32768, 65536, 131072, 1048576},
      .noise = planted::kNone};
  const std::vector<SampleSet> sets = {planted::measure(rail, campaigning, 1).set};
  return derive_plan(Id{}, sets, {}).rails.at(0);
}

ForeignRegret find(const std::vector<ForeignRegret>& table, const std::string& from,
                   const std::string& on, DecisionKind kind) {
  for (const ForeignRegret& entry : table) {
    if (entry.from == from && entry.on == on && entry.kind == kind) return entry;
  }
  ADD_FAILURE() << "no entry from " << from << " on " << on;
  return {};
}

TEST(Compare, ShowsThatEagerUpTo64KCosts84PercentOnJoe) {
  const std::vector<RailPlan> rails = {plan_of(planted::genepi()), plan_of(planted::joe())};
  const ForeignRegret entry =
      find(compare(rails), "fake:genepi", "fake:joe", DecisionKind::kRendezvous);
  EXPECT_NEAR(entry.worst, 0.84, 0.005);
  EXPECT_EQ(entry.worst_size_bytes, 32768u);
  EXPECT_GT(entry.mean, 0.05);
  EXPECT_LT(entry.mean, entry.worst);
}

TEST(Compare, ShowsThatRendezvousFrom17KCosts21PercentOnGenepi) {
  const std::vector<RailPlan> rails = {plan_of(planted::genepi()), plan_of(planted::infini())};
  const ForeignRegret entry =
      find(compare(rails), "fake:infini", "fake:genepi", DecisionKind::kRendezvous);
  EXPECT_NEAR(entry.worst, 0.21, 0.005);
  EXPECT_EQ(entry.worst_size_bytes, 17408u);
}

TEST(Compare, ShowsThatTheWrongAssemblyCosts17PercentOnGenepi) {
  RailPlan never = plan_of(planted::joe());
  never.rail = "copier";
  for (Threshold& threshold : never.thresholds) {
    if (threshold.kind == DecisionKind::kIovec) threshold.ranges = {{0, std::nullopt, "copy"}};
  }
  const std::vector<RailPlan> rails = {never, plan_of(planted::genepi())};
  const ForeignRegret entry = find(compare(rails), "copier", "fake:genepi", DecisionKind::kIovec);
  EXPECT_GE(entry.worst, 0.17);
  EXPECT_LT(entry.worst, 0.25);
}

TEST(Compare, FindsNoRegretAtHome) {
  const std::vector<RailPlan> rails = {plan_of(planted::genepi()), plan_of(planted::infini()),
                                       plan_of(planted::joe())};
  const std::vector<ForeignRegret> table = compare(rails);
  EXPECT_EQ(table.size(), 27u);
  for (const ForeignRegret& entry : table) {
    if (entry.from == entry.on) {
      EXPECT_EQ(entry.worst, 0) << entry.on << " " << to_string(entry.kind);
    }
  }
}

// The sampler gave up on sending by copy at 1 KB; its last piece must not win beyond.
TEST(Compare, DoesNotExtrapolateAMethodThatWasGivenUp) {
  const auto curve = [](const std::string& benchmark, const std::string& method,
                        const std::vector<Point>& points) -> PlanCurve {
    return {.benchmark = benchmark, .method = method, .duration = Curve(points)};
  };
  const RailPlan rail = {
      .rail = "rail",
      .max_unexpected_bytes = 65536,
      .curves = {curve("eager", "copy", {{512, 900}, {1024, 800}}),
                 curve("eager", "iovec", {{512, 700}, {1024, 750}, {32768, 5000}}),
                 curve("transfer", "rendezvous", {{512, 2000}, {1024, 2000}, {32768, 4000}})},
      .thresholds = {{.kind = DecisionKind::kRendezvous,
                      .ranges = {{0, 16384, "eager"}, {16384, std::nullopt, "rendezvous"}}}}};
  EXPECT_EQ(compare({&rail, 1}).at(0).worst, 0);
}

TEST(Compare, LeavesOutWhatARailDoesNotDecide) {
  RailPlan without = plan_of(planted::joe());
  std::erase_if(without.thresholds, [](const Threshold& threshold) {
    return threshold.kind == DecisionKind::kRendezvous;
  });
  without.rail = "without";
  const std::vector<RailPlan> rails = {without, plan_of(planted::infini())};
  for (const ForeignRegret& entry : compare(rails)) {
    EXPECT_FALSE(entry.from == "without" && entry.kind == DecisionKind::kRendezvous);
  }
}

}  // namespace
}  // namespace nmt::tuner
