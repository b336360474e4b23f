// SPDX-License-Identifier: BSD-3-Clause
#include "contention/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using planted::Measuring;
using planted::Network;
using ::testing::HasSubstr;

SignatureFit published() {
  return taken_as_given({.bound = straight_line(50e3, 8.502),
                         .gamma = 4.3628,
                         .delta_ns = 4.93e6,
                         .delta_from_bytes = 8192});
}

TEST(Predict, GivesThePublishedVectors) {
  SignatureFit fit = published();
  const AlltoallPrediction prediction = predict_alltoall(fit, 40, 1048576);
  EXPECT_NEAR(prediction.lower_bound_ns, 0.349635e9, 0.5e3);
  EXPECT_NEAR(prediction.predicted_ns, 1.717656e9, 0.5e3);
  EXPECT_FALSE(prediction.interval_ns);
  EXPECT_EQ(prediction.verdict, Verdict::kExtrapolated);
  fit.signature.delta_per_message = false;
  EXPECT_NEAR(predict_alltoall(fit, 40, 1048576).predicted_ns, 1.530316e9, 0.5e3);
}

TEST(Predict, HasDeltaFromMOn) {
  const SignatureFit fit = published();
  const double below = predict_alltoall(fit, 40, 8191).predicted_ns;
  EXPECT_NEAR(predict_alltoall(fit, 40, 8192).predicted_ns - below, 39 * 4.93e6, 5e3);
}

TEST(Predict, SaysWhereItIsInsideAndWhereNot) {
  const SignatureFit fit = fit_signature(planted::measure({}, {}, 1), {});
  EXPECT_EQ(predict_alltoall(fit, 12, 3000).verdict, Verdict::kInside);
  EXPECT_EQ(predict_alltoall(fit, 8, 512).verdict, Verdict::kInside);
  const AlltoallPrediction more = predict_alltoall(fit, 64, 65536);
  EXPECT_EQ(more.verdict, Verdict::kExtrapolated);
  EXPECT_FALSE(more.far);
  EXPECT_THAT(more.reason, HasSubstr("n = 64 is outside 8 .. 24"));
  EXPECT_EQ(predict_alltoall(fit, 12, 16).verdict, Verdict::kExtrapolated);
  EXPECT_EQ(predict_alltoall(fit, 12, 4 << 20).verdict, Verdict::kExtrapolated);
  EXPECT_FALSE(predict_alltoall(fit, 192, 65536).far);
  EXPECT_TRUE(predict_alltoall(fit, 193, 65536).far);
}

TEST(Predict, HoldsTheTruthInItsInterval) {
  int held = 0;
  int asked = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Network network = planted::random_network({}, seed);
    const SignatureFit fit = fit_signature(planted::measure(network, {}, seed), {});
    for (const std::int64_t ranks : {8, 12, 24, 48}) {
      for (const std::uint64_t size_bytes : {700u, 5000u, 100000u, 1000000u}) {
        const AlltoallPrediction prediction = predict_alltoall(fit, ranks, size_bytes);
        const double truth_ns = network.duration_ns(ranks, size_bytes);
        // Between the two sizes that enclose M, a fit cannot know on which side delta begins.
        if (size_bytes < fit.signature.delta_from_bytes && size_bytes >= network.delta_from_bytes) {
          continue;
        }
        ++asked;
        held += truth_ns >= prediction.interval_ns->low && truth_ns <= prediction.interval_ns->high;
      }
    }
  }
  EXPECT_GE(held, 0.9 * asked);
}

TEST(Predict, GrowsBelowSaturationAsGammaDid) {
  Network network;
  network.delta_ns = 0;
  network.saturation = [](std::int64_t ranks) {
    return std::pow(static_cast<double>(ranks) / 24, 0.5);
  };
  const SignatureFit fit = fit_signature(planted::measure(network, {}, 1), {});
  for (const std::int64_t ranks : {8, 11, 16, 20, 24, 32}) {
    const AlltoallPrediction prediction = predict_alltoall(fit, ranks, 65536);
    EXPECT_NEAR(prediction.predicted_ns / network.duration_ns(ranks, 65536), 1, 0.05) << ranks;
  }
  const Interval inside = *predict_alltoall(fit, 24, 65536).interval_ns;
  const Interval beyond = *predict_alltoall(fit, 32, 65536).interval_ns;
  EXPECT_GT(beyond.high / beyond.low, inside.high / inside.low);
}

TEST(Predict, KnowsTheGammasBelowSaturation) {
  Network network;
  network.delta_ns = 0;
  network.saturation = [](std::int64_t ranks) { return ranks < 16 ? 0.6 : 1.0; };
  Measuring measuring;
  measuring.ranks = {8, 16, 24, 32};
  const SignatureFit fit = fit_signature(planted::measure(network, measuring, 1), {});
  EXPECT_EQ(fit.saturated_from, 16);
  for (const std::int64_t ranks : {8, 16, 24, 32, 64}) {
    const double predicted_ns = predict_alltoall(fit, ranks, 65536).predicted_ns;
    EXPECT_NEAR(predicted_ns / network.duration_ns(ranks, 65536), 1, 0.03) << ranks;
  }
}

TEST(Predict, RefusesToGuess) {
  Network network;
  network.delta_ns = 0;
  network.saturation = [](std::int64_t ranks) { return static_cast<double>(ranks) / 24; };
  const SignatureFit fit = fit_signature(planted::measure(network, {}, 1), {});
  const AlltoallPrediction prediction = predict_alltoall(fit, 100000, 65536);
  EXPECT_EQ(prediction.verdict, Verdict::kRefused);
  EXPECT_THAT(prediction.reason, HasSubstr("measure nearer"));
}

TEST(Predict, OfUnequalSizesThatAreEqualIsThatOfEqualOnes) {
  const SignatureFit fit = published();
  const ExchangeSizes sizes(40, std::vector<std::uint64_t>(40, 1048576));
  EXPECT_NEAR(predict_alltoallv(fit, sizes).predicted_ns, 1.717656e9, 0.5e3);
}

TEST(Predict, OfUnequalSizesCountsDeltaForLargeMessagesOnly) {
  const SignatureFit fit = published();
  const ExchangeSizes sizes = {{0, 100, 8192}, {100, 0, 100}, {100, 100, 0}};
  const AlltoallPrediction prediction = predict_alltoallv(fit, sizes);
  EXPECT_NEAR(prediction.lower_bound_ns, 2 * 50e3 + (100 + 8192) * 8.502, 1e-3);
  EXPECT_NEAR(prediction.predicted_ns, prediction.lower_bound_ns * 4.3628 + 4.93e6, 1e-2);
}

}  // namespace
}  // namespace nmt::contention
