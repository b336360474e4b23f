// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/speeds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuner/planted.h"
#include "tuner/pool.h"

namespace nmt::tuner {
namespace {

using planted::measure;

TEST(CentreOfSessions, IsTheMidrange) {
  EXPECT_EQ(centre_of_sessions(std::vector<double>{1.0}), 1);
  EXPECT_DOUBLE_EQ(centre_of_sessions(std::vector<double>{0.94, 0.95, 1.08}), 1.01);
}

TEST(CentreOfSessions, LeavesOutALaunchThatWasDisturbedThroughout) {
  EXPECT_DOUBLE_EQ(centre_of_sessions(std::vector<double>{0.96, 1.0, 1.04, 3.0}), 1);
}

TEST(CentreOfSessions, OfTwoThatDisagreeIsTheirMiddle) {
  EXPECT_DOUBLE_EQ(centre_of_sessions(std::vector<double>{1, 3}), 2);
}

TEST(Speeds, OfOneSessionAreOne) {
  const std::vector<SampleSet> sets = {
      measure(planted::joe(), {.sizes_bytes = planted::grid(1024)}, 1).set};
  EXPECT_EQ(estimate_speeds(sets)[0].session, 1);
}

TEST(Speeds, OfSessionsAreTheirFactorsToTheCentre) {
  std::vector<SampleSet> sets;
  std::vector<double> factors;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const planted::Launch launch =
        measure(planted::joe(), {.sizes_bytes = planted::grid(4096)}, seed);
    sets.push_back(launch.set);
    factors.push_back(launch.factor);
  }
  const std::vector<Speeds> speeds = estimate_speeds(sets);
  const double centre = centre_of_sessions(factors);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_NEAR(speeds[i].session, factors[i] / centre, 0.01);
  }
}

TEST(Speeds, OfSessionsThatShareOnlySomeSizesAreFoundAsWell) {
  const planted::Noise noise = {.round_drift = 0};
  const planted::Launch first =
      measure(planted::joe(), {.sizes_bytes = {1, 64, 1024, 3000}, .noise = noise}, 1);
  const planted::Launch second =
      measure(planted::joe(), {.sizes_bytes = {64, 1024, 5000, 9000, 10000}, .noise = noise}, 2);
  const std::vector<SampleSet> sets = {first.set, second.set};
  const std::vector<Speeds> speeds = estimate_speeds(sets);
  EXPECT_NEAR(speeds[0].session / speeds[1].session, first.factor / second.factor, 0.015);
}

TEST(Speeds, OfPathsDoNotMix) {
  const std::vector<SampleSet> sets = {
      measure(planted::joe(), {.sizes_bytes = planted::grid(1024)}, 1).set,
      measure(planted::infini(), {.sizes_bytes = planted::grid(1024)}, 2).set};
  for (const Speeds& speeds : estimate_speeds(sets)) EXPECT_EQ(speeds.session, 1);
}

// The machine became 30 % slower before rounds that only verified. They outnumber the others, and
// only held-out sizes saw both speeds.
TEST(Speeds, OfRoundsThatOnlyVerifiedAreRelativeToTheOthers) {
  const planted::Campaigning campaigning = {.sizes_bytes = {1, 64, 4096},
                                            .held_out_bytes = {100, 5000},
                                            .rounds = 12,
                                            .noise = planted::kNone};
  SampleSet set = measure(planted::joe(), campaigning, 1).set;
  for (Sample& sample : set.samples) {
    for (Repetition& repetition : sample.repetitions) {
      if (repetition.round >= 5) repetition.total_ns = repetition.total_ns * 13 / 10;
    }
    std::erase_if(sample.repetitions, [&](const Repetition& repetition) {
      return sample.held_out ? repetition.round < 3 : repetition.round >= 5;
    });
  }
  const std::vector<RailSamples> rails = pool({&set, 1});
  const CurveKey key = {"transfer", "copy", ""};
  for (const auto& [size_bytes, rounds] : rails.at(0).held_out.at(key)) {
    EXPECT_EQ(rounds.size(), 9u);
    const double truth_ns = planted::joe().copy.at(static_cast<double>(size_bytes));
    for (const double duration_ns : all_durations(rounds)) {
      EXPECT_NEAR(duration_ns / truth_ns, 1, 1e-3);
    }
  }
}

}  // namespace
}  // namespace nmt::tuner
