// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nmt::tuner {
namespace {

const CurveKey kKey = {"transfer", "copy", "inline"};

Rounds noisy(double duration_ns, std::size_t n, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.02);
  Rounds rounds;
  for (std::size_t i = 0; i < n; ++i) {
    rounds[i % 3].push_back(duration_ns * std::exp(noise(random)));
  }
  return rounds;
}

TEST(PlanCurve, GoesThroughTheMedians) {
  const Cells cells = {{kKey, {{1, {{1, {10, 30}}, {2, {20}}}}, {100, {{1, {50, 40, 90}}}}}}};
  const std::vector<PlanCurve> curves = make_curves(cells);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].benchmark, "transfer");
  EXPECT_EQ(curves[0].method, "copy");
  EXPECT_EQ(curves[0].variant, "inline");
  EXPECT_EQ(curves[0].duration, Curve({{1, 20}, {100, 50}}));
}

TEST(PlanCurve, HasLimitsThatCoverTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(1);
  for (const std::size_t n : {1u, 3u, 5u, 8u, 30u}) {
    // Every other size has enough repetitions to know the spread by.
    CellsBySize cells;
    for (std::uint64_t size = 1; size <= 800; ++size) {
      cells[size] = noisy(1000, size % 2 == 0 ? n : 30, random);
    }
    const PlanCurve curve = make_curves({{kKey, cells}})[0];
    int covered = 0;
    for (std::size_t i = 1; i < cells.size(); i += 2) {
      covered +=
          curve.low.points()[i].duration_ns <= 1000 && 1000 <= curve.high.points()[i].duration_ns;
    }
    EXPECT_GE(covered, 400 * 0.93) << n;
    EXPECT_LE(covered, 400 * 0.999) << n;
  }
}

TEST(PlanCurve, KnowsTheSpreadOfARepetition) {
  std::mt19937_64 random(2);
  CellsBySize cells;
  for (std::uint64_t size = 1; size <= 50; ++size) cells[size] = noisy(1000, 40, random);
  // The median absolute deviation of a normal law is 0.6745 of its standard deviation.
  EXPECT_NEAR(make_curves({{kKey, cells}})[0].spread, 0.6745 * 0.02, 0.002);
}

TEST(PlanCurve, SaysHowFarItIsFromRising) {
  const Cells rising = {{kKey, {{1, {{1, {10}}}}, {2, {{1, {20}}}}}}};
  EXPECT_EQ(make_curves(rising)[0].monotone_departure, 0);
  const Cells falling = {{kKey, {{1, {{1, {30}}}}, {2, {{1, {10}}}}}}};
  EXPECT_GT(make_curves(falling)[0].monotone_departure, 0.1);
}

TEST(PlanCurve, RisesByTrustingWhatWasMeasuredBest) {
  const std::vector<double> wide = {15, 20, 25, 30, 30, 35, 40, 45};
  const std::vector<double> narrow(8, 10);
  const PlanCurve curve = make_curves({{kKey, {{1, {{1, wide}}}, {2, {{1, narrow}}}}}})[0];
  EXPECT_NEAR(curve.monotone_departure, 2.0 / 3, 0.01);  // 30 comes down to 10, not both to 20
}

TEST(PlanCurve, OfOneRepetitionHasNoSpreadToShow) {
  const PlanCurve curve = make_curves({{kKey, {{1, {{1, {10}}}}}}})[0];
  EXPECT_EQ(curve.spread, 0);
  EXPECT_EQ(curve.low, curve.duration);
}

}  // namespace
}  // namespace nmt::tuner
