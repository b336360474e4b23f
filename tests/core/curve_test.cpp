// SPDX-License-Identifier: BSD-3-Clause
#include "core/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"

namespace nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Mostly rising, as measured curves are: 1 to 12 points.
Curve random_curve(std::mt19937_64& random) {
  std::uniform_real_distribution<double> step(1, 100);
  std::uniform_real_distribution<double> rise(-20, 80);
  std::vector<Point> points(1 + random() % 12);
  Point last{step(random), 200 + step(random)};
  for (Point& point : points) {
    point = last;
    last = {last.size_bytes + step(random), std::max(0.0, last.duration_ns + rise(random))};
  }
  return Curve(points);
}

TEST(Curve, InterpolatesBetweenPoints) {
  const Curve curve({{10, 100}, {20, 300}});
  EXPECT_EQ(curve.at(10), 100);
  EXPECT_EQ(curve.at(15), 200);
  EXPECT_EQ(curve.at(20), 300);
}

TEST(Curve, IsConstantBelowTheFirstPoint) { EXPECT_EQ(Curve({{10, 100}, {20, 300}}).at(0), 100); }

TEST(Curve, KeepsTheLastSlopeBeyondTheLastPoint) {
  const Curve curve({{0, 0}, {10, 100}, {20, 300}});
  EXPECT_EQ(curve.slope_beyond(), 20);
  EXPECT_EQ(curve.at(30), 500);
}

TEST(Curve, NeverFallsBeyondTheLastPoint) {
  EXPECT_EQ(Curve({{10, 300}, {20, 100}}).at(1e9), 100);
  EXPECT_EQ(Curve({{10, 300}}).at(1e9), 300);
}

TEST(Curve, RefusesPointsThatAreNoCurveAndNamesTheFirst) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::vector<Point>, std::string>> wrong = {
      {{}, "at least one point"},     {{{-1, 5}}, "point 0"},
      {{{1, 5}, {2, -5}}, "point 1"}, {{{1, 5}, {2, nan}}, "point 1"},
      {{{infinity, 5}}, "point 0"},   {{{1, 5}, {2, 6}, {2, 7}}, "point 2"},
      {{{2, 5}, {1, 6}}, "point 1"}};
  for (const auto& [points, place] : wrong) {
    try {
      const Curve curve(points);
      ADD_FAILURE() << "accepted: " << place;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kFailed);
      EXPECT_THAT(error.what(), HasSubstr(place));
    }
  }
}

// The published split of the paper "multirail-multicore", IV-A: 2437 KB in 1999 us.
TEST(Curve, InvertsTheMeasuredMyrinetCurve) {
  const Curve myri({{2097152, 1730e3}, {2437000, 1999e3}});
  EXPECT_NEAR(myri.inverse(1999.95e3), 2438201, 20);
}

TEST(Curve, InverseIsZeroBelowTheStartUp) {
  EXPECT_EQ(Curve({{1, 100}, {10, 200}}).inverse(99), 0);
}

TEST(Curve, InverseIsTheFarEndOfAFlat) {
  const Curve curve({{1, 100}, {10, 100}, {20, 200}});
  EXPECT_EQ(curve.inverse(100), 10);
}

TEST(Curve, InverseIsInfiniteWhereTheCurveNeverRises) {
  EXPECT_EQ(Curve({{1, 100}}).inverse(100), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Curve({{1, 100}}).inverse(99), 0);
  EXPECT_EQ(Curve({{1, 50}, {2, 100}, {3, 100}}).inverse(200),
            std::numeric_limits<double>::infinity());
}

TEST(Curve, InverseIsTheMostBytesThatFinishInTime) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const Curve curve = random_curve(random).monotone();
    for (const double duration_ns : {150.0, 250.0, 400.0, 900.0, 5000.0}) {
      const double bytes = curve.inverse(duration_ns);
      if (std::isinf(bytes)) {
        EXPECT_LE(curve.at(1e12), duration_ns);
        continue;
      }
      if (bytes > 0) {
        EXPECT_LE(curve.at(bytes), duration_ns * (1 + 1e-9));
      }
      EXPECT_GT(curve.at(bytes + 1e-3), duration_ns);
    }
  }
}

TEST(Monotone, PoolsWhatFalls) {
  const Curve curve({{1, 10}, {2, 30}, {3, 20}, {4, 40}});
  EXPECT_FALSE(curve.is_monotone());
  EXPECT_THAT(curve.monotone().points(),
              ElementsAre(Point{1, 10}, Point{2, 25}, Point{3, 25}, Point{4, 40}));
}

TEST(Monotone, TrustsTheHeavierPoint) {
  const std::vector<double> weights = {1, 3, 1, 1};
  EXPECT_DOUBLE_EQ(Curve({{1, 10}, {2, 30}, {3, 20}, {4, 40}}).monotone(weights).at(2), 27.5);
}

TEST(Monotone, LeavesARisingCurveAlone) {
  const Curve curve({{1, 10}, {2, 10}, {3, 20}});
  EXPECT_EQ(curve.monotone(), curve);
  EXPECT_EQ(curve.departure(curve.monotone()), 0);
}

// Isotonic regression is the projection onto the cone of rising sequences: the residual is
// orthogonal to the fit, and the sum is kept.
TEST(Monotone, IsTheNearestRisingCurve) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> weight(0.1, 10);
  for (int i = 0; i < 300; ++i) {
    const Curve curve = random_curve(random);
    std::vector<double> weights(curve.points().size());
    for (double& w : weights) w = weight(random);
    const Curve fit = curve.monotone(weights);
    ASSERT_TRUE(fit.is_monotone());
    EXPECT_EQ(fit.monotone(weights), fit);
    double total = 0, product = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      const double residual =
          weights[p] * (curve.points()[p].duration_ns - fit.points()[p].duration_ns);
      total += residual;
      product += residual * fit.points()[p].duration_ns;
    }
    EXPECT_NEAR(total, 0, 1e-6);
    EXPECT_NEAR(product, 0, 1e-3);
  }
}

TEST(Departure, IsTheLargestRelativeDifference) {
  const Curve curve({{1, 100}, {2, 200}});
  EXPECT_DOUBLE_EQ(curve.departure(Curve({{1, 110}, {2, 190}})), 0.1);
}

TEST(Crossings, AreInterpolatedAndInOrder) {
  const Curve steep({{0, 0}, {100, 100}});
  const Curve bent({{0, 20}, {40, 20}, {60, 80}, {100, 80}});
  EXPECT_THAT(crossings(steep, bent, 0, 1000),
              ElementsAre(testing::DoubleEq(20), testing::DoubleEq(50), testing::DoubleEq(80)));
}

TEST(Crossings, BeyondTheLastPointsAreFound) {
  EXPECT_THAT(crossings(Curve({{0, 0}, {1, 2}}), Curve({{0, 10}, {1, 11}}), 0, 100),
              ElementsAre(testing::DoubleEq(10)));
}

TEST(Crossings, OutsideTheLimitsDoNotCount) {
  const Curve steep({{0, 0}, {100, 100}});
  const Curve flat({{0, 50}});
  EXPECT_THAT(crossings(steep, flat, 0, 50), IsEmpty());
  EXPECT_THAT(crossings(steep, flat, 50, 100), IsEmpty());
  EXPECT_THAT(crossings(steep, flat, 49, 51), ElementsAre(50));
}

TEST(Crossings, OfAStretchThatIsEqualCountOnceAtItsStart) {
  const Curve a({{0, 0}, {10, 10}, {20, 20}, {30, 30}});
  const Curve crossing({{0, 5}, {10, 10}, {20, 20}, {30, 25}});
  const Curve touching({{0, 5}, {10, 10}, {20, 20}, {30, 35}});
  EXPECT_THAT(crossings(a, crossing, 0, 30), ElementsAre(10));
  EXPECT_THAT(crossings(a, touching, 0, 30), IsEmpty());
  EXPECT_THAT(crossings(a, a, 0, 30), IsEmpty());
}

TEST(LowerEnvelope, IsTheMinimumEverywhere) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> anywhere(0, 3000);
  for (int i = 0; i < 500; ++i) {
    const Curve a = random_curve(random);
    const Curve b = random_curve(random);
    const Curve lower = lower_envelope(a, b);
    for (int j = 0; j < 50; ++j) {
      const double size = anywhere(random);
      const double expected = std::min(a.at(size), b.at(size));
      ASSERT_NEAR(lower.at(size), expected, 1e-6 * (1 + expected)) << "curves " << i;
    }
  }
}

TEST(LowerEnvelope, FollowsACrossingBeyondTheLastPoint) {
  const Curve lower = lower_envelope(Curve({{0, 0}, {1, 2}}), Curve({{0, 10}, {1, 11}}));
  EXPECT_DOUBLE_EQ(lower.at(5), 10);
  EXPECT_DOUBLE_EQ(lower.at(10), 20);
  EXPECT_DOUBLE_EQ(lower.at(1000), 1010);
}

TEST(Sum, IsTheSumEverywhere) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> anywhere(0, 3000);
  for (int i = 0; i < 500; ++i) {
    const Curve a = random_curve(random);
    const Curve b = random_curve(random);
    const Curve both = sum(a, b);
    for (int j = 0; j < 20; ++j) {
      const double size = anywhere(random);
      ASSERT_NEAR(both.at(size), a.at(size) + b.at(size), 1e-6 * (1 + both.at(size)));
    }
  }
}

}  // namespace
}  // namespace nmt
