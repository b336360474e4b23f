// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/paper_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/transfer.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr double kMessage = 4194304;

std::vector<PaperRail> papers(double second_release_ns = 0) {
  const std::vector<RailPlan> plans = planted::paper_rails();
  return {{split_curve(plans[0]), 0}, {split_curve(plans[1]), second_release_ns}};
}

TEST(Dichotomy, FindsThePapersSplit) {
  const std::vector<PaperRail> rails = papers();
  const double first = dichotomy(rails[0], rails[1], kMessage);
  EXPECT_NEAR(first, 2438201, 2);  // "about", of 4194304
  const double chunks[] = {first, kMessage - first};
  EXPECT_NEAR(end_of(rails, chunks), 1999.95e3, 10);
  const double equal[] = {kMessage / 2, kMessage / 2};
  EXPECT_NEAR(end_of(rails, equal), 2400e3, 1);
}

TEST(Dichotomy, LeavesOutARailThatIsReleasedTooLate) {
  const std::vector<PaperRail> rails = papers(1e9);
  EXPECT_EQ(dichotomy(rails[0], rails[1], kMessage), kMessage);
  EXPECT_EQ(dichotomy(rails[1], rails[0], kMessage), 0);
}

// "Chunk size of the fastest network is increased by half of amount of data allocated to the other
// network. The operation is repeated until both transfer durations are equal."
TEST(Dichotomy, AsPrintedCyclesBetweenOneAndTwoThirds) {
  const std::vector<PaperRail> rails = papers();
  double first = kMessage / 2;
  std::vector<double> shares;
  for (int turn = 0; turn < 40; ++turn) {
    const double second = kMessage - first;
    const bool first_is_faster = rails[0].duration.at(first) < rails[1].duration.at(second);
    first = first_is_faster ? first + second / 2 : first - first / 2;
    shares.push_back(first / kMessage);
  }
  EXPECT_THAT(std::vector<double>(shares.end() - 2, shares.end()),
              UnorderedElementsAre(DoubleNear(1.0 / 3, 1e-6), DoubleNear(2.0 / 3, 1e-6)));
}

TEST(AsymptoticBandwidths, ShareByBandwidthWhereAllAreIdle) {
  const PaperRail fast{Curve({{0, 1000}, {1000, 2000}}), 0};
  const PaperRail slow{Curve({{0, 5000}, {1000, 8000}}), 0};
  const PaperRail rails[] = {fast, slow, fast};
  EXPECT_THAT(by_asymptotic_bandwidths(rails, 7000),
              ElementsAre(DoubleNear(3000, 1e-6), DoubleNear(1000, 1e-6), DoubleNear(3000, 1e-6)));
}

TEST(AsymptoticBandwidths, LetRailsJoinAsTheyAreReleased) {
  const Curve byte_per_ns({{0, 0}, {1000, 1000}});
  const PaperRail rails[] = {{byte_per_ns, 400}, {byte_per_ns, 0}};
  EXPECT_THAT(by_asymptotic_bandwidths(rails, 1000),
              ElementsAre(DoubleNear(300, 1e-6), DoubleNear(700, 1e-6)));
  const double chunks[] = {300, 700};
  EXPECT_NEAR(end_of(rails, chunks), 700, 1e-6);
}

TEST(AsymptoticBandwidths, LeaveOutWhoIsReleasedAfterTheEnd) {
  const Curve byte_per_ns({{0, 0}, {1000, 1000}});
  const PaperRail rails[] = {{byte_per_ns, 4000}, {byte_per_ns, 0}};
  EXPECT_THAT(by_asymptotic_bandwidths(rails, 1000), ElementsAre(0, 1000));
}

}  // namespace
}  // namespace nmt::runtime
