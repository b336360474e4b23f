// SPDX-License-Identifier: BSD-3-Clause
//
// How good decisions and curves are against planted truth: issue 2, "It must show", 1.
#include <gtest/gtest.h>

#include <cmath>

#include "core/statistics.h"
#include "tests/tuner/planted.h"
#include "tuner/method_comparison.h"
#include "tuner/thresholds.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

using planted::Campaigning;
using planted::measure;

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 20;
constexpr std::uint64_t kSeeds = 20;

// Slowdowns by the truth of what the plan decides, at sizes from 1 B to 1 MiB that leave a choice.
std::vector<double> slowdowns(const planted::Rail& rail, const RailPlan& plan, DecisionKind kind) {
  std::vector<double> result;
  const Threshold& threshold = *plan.find_threshold(kind);
  const auto forced = forced_from(kind, plan.max_unexpected_bytes, plan.thresholds);
  for (const std::uint64_t size : planted::log_uniform(1, kMaxSize, 200)) {
    if (forced && size >= *forced) break;
    const bool above = threshold.choice_at(size) == choices(kind).above;
    result.push_back(slowdown(rail.log_ratio(kind, static_cast<double>(size)), above));
  }
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Over all seeds: the 95th percentile of the slowdown at one size, and of a campaign's mean.
void expect_small_regret(const planted::Rail& rail, const Campaigning& campaigning) {
  for (const DecisionKind kind : kDecisions) {
    std::vector<double> all;
    std::vector<double> means;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const std::vector<SampleSet> sets = {measure(rail, campaigning, seed).set};
      const Plan plan = derive_plan(Id{}, sets, {});
      ASSERT_EQ(plan.rails.size(), 1u);
      ASSERT_NE(plan.rails[0].find_threshold(kind), nullptr);
      const std::vector<double> some = slowdowns(rail, plan.rails[0], kind);
      means.push_back(mean(some));
      all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_LE(quantile(all, 0.95), 0.01) << rail.name << " " << to_string(kind);
    EXPECT_LE(quantile(means, 0.95), 0.01) << rail.name << " " << to_string(kind);
  }
}

planted::Rail with_iovec(const std::string& name,
                         const std::vector<std::pair<double, double>>& factors) {
  const Curve copy({{0, 2000}, {1024, 3000}, {65536, 60000}, {1048576, 900000}});
  std::vector<Point> iovec;
  for (const auto& [size, factor] : factors) iovec.push_back({size, factor * copy.at(size)});
  return {.name = name,
          .copy = copy,
          .iovec = Curve(iovec),
          .rendezvous = Curve({{0, 9000}, {65536, 50000}, {1048576, 700000}}),
          .memcpy = Curve({{0, 20}, {1048576, 100000}})};
}

planted::Rail parallel(const std::string& name, double factor) {
  return with_iovec(name, {{0, factor}, {1024, factor}, {65536, factor}, {1048576, factor}});
}

// Iovec wins between 256 B and 4 KB only: by up to 8 % there, and loses by 8 % on both sides.
planted::Rail crossing_twice() {
  return with_iovec("crossing_twice", {{0, 1.08},
                                       {64, 1.08},
                                       {256, 1},
                                       {1024, 0.92},
                                       {4096, 1},
                                       {16384, 1.08},
                                       {65536, 1.08},
                                       {1048576, 1.08}});
}

// Within half a percent of each other, with five crossings that nobody should chase.
planted::Rail nearly_coincident() {
  return with_iovec(
      "nearly_coincident",
      {{0, 1.005}, {16, 0.995}, {256, 1.005}, {4096, 0.995}, {65536, 1.005}, {1048576, 0.995}});
}

class Regret : public testing::TestWithParam<planted::Rail> {};

TEST_P(Regret, IsHardlyEverAboveOnePercent) {
  expect_small_regret(GetParam(), {.sizes_bytes = planted::grid(kMaxSize)});
}

TEST_P(Regret, OfTwoRoundsIsHardlyEverAboveOnePercent) {
  expect_small_regret(GetParam(),
                      {.sizes_bytes = planted::grid(kMaxSize), .rounds = 2, .repetitions = 4});
}

TEST_P(Regret, OfOneRoundIsHardlyEverAboveOnePercent) {
  expect_small_regret(GetParam(),
                      {.sizes_bytes = planted::grid(kMaxSize), .rounds = 1, .repetitions = 8});
}

INSTANTIATE_TEST_SUITE_P(Rails, Regret,
                         testing::Values(planted::jack(), planted::joe(), planted::genepi(),
                                         planted::infini(), parallel("copy_wins", 1.06),
                                         parallel("iovec_wins", 0.94), nearly_coincident(),
                                         crossing_twice()),
                         [](const auto& rail) { return rail.param.name; });

TEST(Answers, HaveFewestChangesWhereCurvesNearlyCoincide) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<SampleSet> sets = {
        measure(nearly_coincident(), {.sizes_bytes = planted::grid(kMaxSize)}, seed).set};
    const Plan plan = derive_plan(Id{}, sets, {});
    EXPECT_EQ(plan.rails[0].find_threshold(DecisionKind::kIovec)->ranges.size(), 1u) << seed;
  }
}

TEST(Answers, AreThreeRangesWhereCurvesCrossTwice) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<SampleSet> sets = {
        measure(crossing_twice(), {.sizes_bytes = planted::grid(kMaxSize)}, seed).set};
    const Plan plan = derive_plan(Id{}, sets, {});
    const Threshold& iovec = *plan.rails[0].find_threshold(DecisionKind::kIovec);
    EXPECT_EQ(iovec.answer, Answer::kRanges) << seed;
    EXPECT_EQ(iovec.ranges.size(), 3u) << seed;
    EXPECT_EQ(iovec.choice_at(1), "copy");
    EXPECT_EQ(iovec.choice_at(1024), "iovec");
    EXPECT_EQ(iovec.choice_at(kMaxSize), "copy");
  }
}

TEST_P(Regret, DoesNotComeFromCurvesThatMissUnseenSizes) {
  const planted::Rail& rail = GetParam();
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const planted::Launch launch = measure(rail, {.sizes_bytes = planted::grid(kMaxSize)}, seed);
    const Plan plan = derive_plan(Id{}, {&launch.set, 1}, {});
    for (const Method method : kMethods) {
      std::vector<double> errors;
      for (const std::uint64_t size : planted::log_uniform(1, kMaxSize, 100)) {
        const double truth_ns = launch.factor * rail.transfer_ns(method, static_cast<double>(size));
        const auto predicted = predict_transfer(plan.rails[0], size, method);
        errors.push_back(std::abs(predicted->duration_ns / truth_ns - 1));
      }
      EXPECT_LE(median(errors), 0.02) << rail.name << " " << to_string(method) << " " << seed;
    }
  }
}

TEST(Launches, MergedInFivesComeWithinFourPercentOfTheRail) {
  const planted::Rail rail = planted::joe();
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::vector<SampleSet> sets;
    for (std::uint64_t launch = 0; launch < 5; ++launch) {
      const Campaigning campaigning = {
          .sizes_bytes = planted::grid(4096), .rounds = 3, .noise = {.round_drift = 0}};
      sets.push_back(measure(rail, campaigning, 1000 * seed + launch).set);
    }
    const Plan plan = derive_plan(Id{}, sets, {});
    std::vector<double> factors;
    for (const Point& point : plan.rails[0].find_curve("transfer", "copy")->duration.points()) {
      factors.push_back(point.duration_ns / rail.copy.at(point.size_bytes));
    }
    errors.push_back(std::abs(median(factors) - 1));
  }
  EXPECT_LT(quantile(errors, 0.95), 0.04);
  EXPECT_LT(mean(errors), 0.02);
}

}  // namespace
}  // namespace nmt::tuner
