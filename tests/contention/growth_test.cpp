// SPDX-License-Identifier: BSD-3-Clause
#include "contention/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/alltoall.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using planted::Measuring;
using planted::Network;

std::vector<GammaOf> gammas(const std::vector<std::int64_t>& ranks,
                            const std::function<double(double)>& gamma) {
  std::vector<GammaOf> all;
  for (const std::int64_t n : ranks) all.push_back({n, gamma(static_cast<double>(n)), 0.001});
  return all;
}

TEST(Growth, OfASaturatingCurveIsFoundInThreePointsOfIt) {
  const auto curve = [](double n) { return 3 * n / (n + 8); };
  const Growth growth = growth_of(GrowthShape::kSaturating, gammas({16, 24, 32}, curve));
  EXPECT_TRUE(growth.saturates);
  EXPECT_NEAR(growth.exponent, 8.0 / 40, 0.01);  // h / (N + h)
  ASSERT_EQ(growth.rises.size(), 3u);
  EXPECT_NEAR(growth.rises.front().factor, curve(16) / curve(32), 0.005);
  for (const std::int64_t n : {48, 64, 256, 100000}) {
    EXPECT_NEAR(rise_at(growth.rises, growth.exponent, growth.saturates, n),
                curve(static_cast<double>(n)) / curve(32), 0.01)
        << n;
  }
}

TEST(Growth, EndsSomewhereOnlyWhereItSaturates) {
  EXPECT_DOUBLE_EQ(saturating_rise(0, 32, 1000), 1);
  EXPECT_NEAR(saturating_rise(0.2, 32, 1'000'000'000), 1 / 0.8, 1e-6);
  EXPECT_DOUBLE_EQ(saturating_rise(1, 32, 64), 2);  // a medium that all share: nothing saturates
  const Growth power = growth_of(GrowthShape::kMeasured,
                                 gammas({16, 24, 32}, [](double n) { return std::sqrt(n); }));
  EXPECT_FALSE(power.saturates);
  EXPECT_NEAR(rise_at(power.rises, power.exponent, power.saturates, 3200), 10, 0.1);
}

TEST(Growth, OfTwoNumbersOfRanksIsNotKnownToSaturate) {
  const auto two = gammas({16, 24}, [](double) { return 2.0; });
  EXPECT_FALSE(growth_of(GrowthShape::kMeasured, two).saturates);
  const auto three = gammas({16, 24, 32}, [](double) { return 2.0; });
  const Growth flat = growth_of(GrowthShape::kMeasured, three);
  EXPECT_TRUE(flat.saturates);
  EXPECT_EQ(flat.saturated_from, 16);
  EXPECT_EQ(flat.exponent, 0);
}

// What fits at 16, 24 and 32 ranks make of networks whose gamma is known far beyond.
struct Judged {
  int bounded = 0;  // fits whose gamma ends somewhere
  int held = 0;     // predictions whose interval holds the truth
  int asked = 0;
  double error = 0;  // mean, at 64 and 256 ranks
};
Judged judged(const std::function<double(double n, double draw)>& saturation) {
  constexpr std::uint64_t kSets = 20;
  Judged all;
  for (std::uint64_t seed = 1; seed <= kSets; ++seed) {
    const Measuring measuring{.ranks = {16, 24, 32}, .sessions = 6};
    Network network = planted::random_network(measuring, seed);
    std::mt19937_64 random(seed);
    const double draw = std::uniform_real_distribution<double>()(random);
    if (seed % 2 == 0) network.delta_ns = 0;
    network.saturation = [&](std::int64_t n) { return saturation(static_cast<double>(n), draw); };
    const SignatureFit fit =
        fit_signature(planted::measure(network, measuring, seed), {.seed = seed});
    all.bounded += fit.signature.growth_saturates ? 1 : 0;
    for (const std::int64_t ranks : {64, 256}) {
      const AlltoallPrediction prediction = predict_alltoall(fit, ranks, 64 << 10);
      const double truth_ns = network.duration_ns(ranks, 64 << 10);
      all.error += std::abs(prediction.predicted_ns / truth_ns - 1);
      all.held +=
          prediction.interval_ns->low <= truth_ns && truth_ns <= prediction.interval_ns->high;
      ++all.asked;
    }
  }
  all.error /= all.asked;
  return all;
}

TEST(Growth, OfNetworksThatSaturateEndsAndPredictsFar) {
  const Judged all = judged([](double n, double draw) { return n / (n + 4 * std::pow(8, draw)); });
  EXPECT_GE(all.bounded, 17);  // of 20
  EXPECT_LE(all.error, 0.06);
  EXPECT_GE(all.held, 0.9 * all.asked);
}

TEST(Growth, OfNetworksThatAreFlatIsNone) {
  const Judged all = judged([](double, double) { return 1.0; });
  EXPECT_GE(all.bounded, 18);
  EXPECT_LE(all.error, 0.03);
  EXPECT_GE(all.held, 0.9 * all.asked);
}

// Nothing in the source prefers a curve that ends: gamma that goes on growing is seen to.
TEST(Growth, OfNetworksThatGoOnGrowingDoes) {
  const Judged all =
      judged([](double n, double draw) { return std::pow(n / 32, 0.3 + 0.3 * draw); });
  EXPECT_LE(all.bounded, 4);
  EXPECT_LE(all.error, 0.1);
  EXPECT_GE(all.held, 0.9 * all.asked);
}

}  // namespace
}  // namespace nmt::contention
