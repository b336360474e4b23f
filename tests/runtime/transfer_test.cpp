// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::curve;
using planted::rail;
using planted::threshold;
using testing::ElementsAre;

PlanCurve flat(std::string_view method, double duration_ns) {
  return curve(benchmark::kTransfer, method, {{0, duration_ns}, {1 << 20, duration_ns}});
}

TEST(MethodRanges, MergeBothThresholds) {
  const RailPlan plan = rail(
      "r", {flat("copy", 1), flat("iovec", 2), flat("rendezvous", 3)},
      {threshold(DecisionKind::kIovec, {100, 5000}), threshold(DecisionKind::kRendezvous, {1000})});
  EXPECT_THAT(method_ranges(plan),
              ElementsAre(MethodRange{0, Method::kCopy}, MethodRange{100, Method::kIovec},
                          MethodRange{1000, Method::kRendezvous}));
}

TEST(MethodRanges, TakeTheOnlyMethodMeasured) {
  EXPECT_THAT(method_ranges(rail("r", {flat("rendezvous", 3)})),
              ElementsAre(MethodRange{0, Method::kRendezvous}));
}

TEST(MethodRanges, HaveNoAdviceForAMethodThatWasNotMeasured) {
  const RailPlan plan = rail("r", {flat("copy", 1), flat("iovec", 2)},
                             {threshold(DecisionKind::kRendezvous, {1000})});
  EXPECT_THAT(method_ranges(plan),
              ElementsAre(MethodRange{0, Method::kCopy}, MethodRange{1000, std::nullopt}));
}

TEST(TransferCurve, IsThatOfTheFasterVariantAtEachSize) {
  PlanCurve plain = curve(benchmark::kTransfer, "copy", {{0, 100}, {100, 200}});
  PlanCurve other = curve(benchmark::kTransfer, "copy", {{0, 50}, {100, 250}});
  other.variant = "inline";
  const Curve best = transfer_curve(rail("r", {plain, other}), Method::kCopy);
  EXPECT_EQ(best.at(0), 50);
  EXPECT_EQ(best.at(100), 200);
}

TEST(SplitCurve, NeverFalls) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    const Curve curve = split_curve(planted::random_full_rail(random, "r"));
    EXPECT_TRUE(curve.is_monotone());
    EXPECT_GT(curve.slope_beyond(), 0);
  }
}

TEST(SplitCurve, KeepsWhatWasMonotone) {
  const std::vector<Point> points = {{0, 100}, {10, 110}, {100, 500}, {1000, 1000}};
  const Curve curve = split_curve(planted::plain_rail("r", points));
  for (const Point& point : points)
    EXPECT_NEAR(curve.at(point.size_bytes), point.duration_ns, 1e-9);
  EXPECT_NEAR(curve.at(2000), 1000 + 1000 * 500.0 / 900, 1e-6);
}

TEST(SplitCurve, RisesOverOneByteBetweenMethods) {
  const RailPlan plan = rail("r", {flat("copy", 100), flat("rendezvous", 300)},
                             {threshold(DecisionKind::kRendezvous, {1000})});
  const Curve curve = split_curve(plan);
  EXPECT_NEAR(curve.at(999), 100, 1e-9);
  EXPECT_NEAR(curve.at(1000), 300, 1e-9);
}

TEST(SplitCurve, GoesOnRisingWhereTheLastSamplesFall) {
  const Curve curve = split_curve(planted::plain_rail("r", {{0, 100}, {1000, 2000}, {2000, 1900}}));
  EXPECT_GT(curve.at(4000), curve.at(2000) * 1.5);
}

TEST(Simplified, DropsOnlyWhatIsWithinTheTolerance) {
  const Curve curve({{0, 100}, {1, 110.05}, {2, 120}, {3, 130}, {4, 200}});
  EXPECT_THAT(simplified(curve, 0.001).points(),
              ElementsAre(Point{0, 100}, Point{3, 130}, Point{4, 200}));
  EXPECT_EQ(simplified(curve, 0).points().size(), 5u);
  const Curve straight({{0, 100}, {1, 110}, {2, 120}, {4, 200}});
  EXPECT_EQ(simplified(straight, 0).points().size(), 3u);
}

}  // namespace
}  // namespace nmt::runtime
