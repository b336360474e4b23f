// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/spot_verdict.h"

#include <gtest/gtest.h>

#include <vector>

namespace nmt::cluster {
namespace {

const std::vector<double> kProfile = {100, 103, 98, 101, 99};

Spot of(const std::vector<double>& now) { return judge_spot(kProfile, now, 0.1).spot; }

TEST(SpotVerdict, AgreesWithinTheToleranceHoweverSure) {
  EXPECT_EQ(of({105, 106, 107}), Spot::kAgrees);
}

TEST(SpotVerdict, IsSlowerIfEveryLaunchIs) {
  EXPECT_EQ(of({120, 125, 119, 131}), Spot::kSlower);
  EXPECT_NEAR(judge_spot(kProfile, std::vector<double>{120, 120, 120}, 0.1).ratio, 1.2, 1e-12);
}

TEST(SpotVerdict, AgreesIfANeighbourDisturbedSomeLaunches) {
  EXPECT_EQ(of({150, 160, 101, 170}), Spot::kAgrees);
}

TEST(SpotVerdict, IsFasterIfEveryLaunchIs) { EXPECT_EQ(of({80, 70, 75}), Spot::kFaster); }

TEST(SpotVerdict, OfFewLaunchesCannotBeSaid) {
  EXPECT_EQ(of({200, 200}), Spot::kCannotSay);
  const std::vector<double> now = {200, 210, 220, 200, 200}, few = {100, 101, 99, 100};
  EXPECT_EQ(judge_spot(few, now, 0.1).spot, Spot::kCannotSay);
  EXPECT_EQ(judge_spot(few, std::vector<double>{101, 101, 101}, 0.1).spot, Spot::kAgrees);
  EXPECT_EQ(judge_spot({}, std::vector<double>{1, 1, 1}, 0.1).spot, Spot::kCannotSay);
}

}  // namespace
}  // namespace nmt::cluster
