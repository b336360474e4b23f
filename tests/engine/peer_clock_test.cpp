// SPDX-License-Identifier: BSD-3-Clause
#include "engine/peer_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nmt::engine {
namespace {

TEST(PeerClock, DatesWhatHappenedWhateverItTookToHearOfIt) {
  constexpr double kOffsetNs = 5e15, kWayNs = 8e3;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> delay_ns(1 / 50e3);
  PeerClock clock;
  double worst_ns = 0;
  for (int i = 1; i <= 1000; ++i) {
    const double happened_ns = i * 1e6;  // by our clock
    clock.hear(happened_ns + kOffsetNs, happened_ns + kWayNs + delay_ns(random));
    if (i < 100) continue;
    const double heard_ns = clock.heard_ns(happened_ns + kOffsetNs);
    worst_ns = std::max(worst_ns, std::abs(heard_ns - happened_ns - kWayNs));
  }
  EXPECT_LT(worst_ns, 30e3);
}

TEST(PeerClock, FollowsClocksThatDriftApart) {
  PeerClock clock;
  for (int i = 1; i <= 1000; ++i) {
    const double happened_ns = i * 1e6;
    clock.hear(happened_ns * (1 - 5e-5), happened_ns + 1e3);
    EXPECT_NEAR(clock.heard_ns(happened_ns * (1 - 5e-5)), happened_ns + 1e3, 100);
  }
}

TEST(PeerClock, WhatWasNeverHeardWasHeardNow) {
  PeerClock clock;
  clock.hear(77, 1e6);
  EXPECT_EQ(clock.heard_ns(77), 1e6);
}

TEST(PeerClock, TimesTheTransitWhateverThePeerDidBetween) {
  constexpr double kOffsetNs = 5e15, kWayNs = 8e3;
  PeerClock clock;
  EXPECT_FALSE(clock.transit_ns());
  for (int i = 1; i <= 20; ++i) {
    const double left_ns = i * 1e6, came_ns = left_ns + kWayNs + kOffsetNs;
    const double answered_ns = came_ns + i * 30e3;  // it computes in between
    clock.hear(answered_ns, answered_ns - kOffsetNs + kWayNs);
    clock.time(left_ns, came_ns, 0.5);
  }
  ASSERT_TRUE(clock.transit_ns());
  EXPECT_NEAR(*clock.transit_ns(), kWayNs, 100);
}

}  // namespace
}  // namespace nmt::engine
