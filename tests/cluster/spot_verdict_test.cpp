// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/spot_verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace nmt::cluster {
namespace {

const std::vector<double> kProfile = {100, 103, 98, 101, 99};

Spot of(const std::vector<double>& now) {
  return judge_spot(kProfile, now, {.tolerance = 0.1}).spot;
}

TEST(SpotVerdict, AgreesWithinTheToleranceHoweverSure) {
  EXPECT_EQ(of({105, 106, 107}), Spot::kAgrees);
}

TEST(SpotVerdict, IsSlowerIfEveryLaunchIs) {
  EXPECT_EQ(of({120, 125, 119, 131}), Spot::kSlower);
  EXPECT_NEAR(judge_spot(kProfile, std::vector<double>{120, 120, 120}, {.tolerance = 0.1}).ratio,
              1.2, 1e-12);
}

TEST(SpotVerdict, AgreesIfANeighbourDisturbedSomeLaunches) {
  EXPECT_EQ(of({150, 160, 101, 170}), Spot::kAgrees);
}

TEST(SpotVerdict, IsSlowerThoughOneLaunchOfTheProfileWasDisturbed) {
  const std::vector<double> now = {111, 112, 110}, once = {100, 101, 99, 100, 170},
                            twice = {100, 101, 160, 100, 170};
  EXPECT_EQ(judge_spot(once, now, {}).spot, Spot::kSlower);
  EXPECT_EQ(judge_spot(twice, now, {}).spot, Spot::kAgrees);
}

TEST(SpotVerdict, IsFasterIfEveryLaunchIs) { EXPECT_EQ(of({80, 70, 75}), Spot::kFaster); }

TEST(SpotVerdict, AgreesWithinWhatLaunchesDifferBy) {
  const std::vector<double> now = {116, 117, 115, 118, 116}, wide = {100, 110, 92, 104, 97};
  EXPECT_EQ(judge_spot(kProfile, now, {.tolerance = 0.1}).spot, Spot::kSlower);
  EXPECT_EQ(judge_spot(kProfile, now, {.tolerance = 0.1, .usual_spread = 0.08}).spot,
            Spot::kAgrees);
  EXPECT_EQ(judge_spot(wide, now, {.tolerance = 0.1}).spot, Spot::kAgrees);
  EXPECT_NEAR(
      launch_spread(std::vector<double>{100, 100 * std::exp(0.1), 100 * std::exp(-0.1), 900}),
      1.4826 * 0.1, 0.06);
}

// One hour is 2 % slower or faster than another, and launches within one differ by 0.5 %.
TEST(SpotVerdict, RaisesNoAlarmOfHoursThatDifferAsThoseOfTheProfile) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> of_hour(0, 0.02), of_launch(0, 0.005);
  int alarms = 0, found = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> profile, now, slower;
    for (int k = 0; k < 5; ++k) profile.push_back(std::exp(of_hour(random) + of_launch(random)));
    const double hour = of_hour(random);
    for (int k = 0; k < 5; ++k) {
      now.push_back(std::exp(hour + of_launch(random)));
      slower.push_back(1.25 * now.back());
    }
    const SpotLimits limits{.tolerance = 0.05, .usual_spread = 0.02};
    alarms += judge_spot(profile, now, limits).spot != Spot::kAgrees;
    found += judge_spot(profile, slower, limits).spot == Spot::kSlower;
  }
  EXPECT_LE(alarms, 10);
  EXPECT_GE(found, 1980);
}

TEST(SpotVerdict, OfFewLaunchesCannotBeSaid) {
  EXPECT_EQ(of({200, 200}), Spot::kCannotSay);
  const std::vector<double> now = {200, 210, 220, 200, 200}, few = {100, 101, 99, 100};
  EXPECT_EQ(judge_spot(few, now, {.tolerance = 0.1}).spot, Spot::kCannotSay);
  EXPECT_EQ(judge_spot(few, std::vector<double>{101, 101, 101}, {.tolerance = 0.1}).spot,
            Spot::kAgrees);
  EXPECT_EQ(judge_spot({}, std::vector<double>{1, 1, 1}, {}).spot, Spot::kCannotSay);
}

// Small messages differ by 10 % from launch to launch, large ones by 1 %.
TEST(SpotVerdict, TakesWhatCellsOfLikeSizeDifferBy) {
  std::vector<CellLaunches> cells;
  for (std::uint64_t size_bytes = 1; size_bytes <= 65536; size_bytes *= 2) {
    const double spread = size_bytes <= 1024 ? 0.1 : 0.01;
    std::vector<double> launches_ns;
    for (const int i : {-2, -1, 0, 1, 2}) launches_ns.push_back(100 * std::exp(spread * i));
    cells.push_back({size_bytes, launches_ns});
    cells.push_back({size_bytes, launches_ns});
  }
  cells.push_back({65536, {1, 1000}});  // of too few launches
  EXPECT_NEAR(usual_spread_near(65536, cells, 5), 1.4826 * 0.01, 1e-9);
  EXPECT_NEAR(usual_spread_near(1, cells, 5), 1.4826 * 0.1, 1e-9);
  EXPECT_EQ(usual_spread_near(1, {}, 5), 0);
}

}  // namespace
}  // namespace nmt::cluster
