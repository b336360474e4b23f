// SPDX-License-Identifier: BSD-3-Clause
#include "contention/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "contention/predict.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using planted::Measuring;
using planted::Network;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Measuring quiet() { return {.sessions = 1, .repetitions = 1, .noise = planted::kQuiet}; }

TEST(Fit, FindsThePublishedSignatureInItsOwnTimes) {
  const SignatureFit fit = fit_signature(planted::measure({}, quiet(), 1), {});
  EXPECT_NEAR(fit.signature.gamma, 4.3628, 1e-5);
  EXPECT_NEAR(fit.signature.delta_ns, 4.93e6, 10);
  EXPECT_EQ(fit.signature.delta_from_bytes, 8192u);
  EXPECT_TRUE(fit.signature.delta_per_message);
  EXPECT_TRUE(fit.signature.saturated);
  EXPECT_THAT(fit.ranks, ElementsAre(8, 16, 24));
  EXPECT_EQ(fit.sizes_bytes.size(), 12u);
  EXPECT_LT(fit.error_left_out, 1e-6);
  EXPECT_TRUE(fit.remarks.empty());
}

TEST(Fit, FindsADeltaThatComesOnce) {
  Network network;
  network.form = DeltaForm::kOnce;
  network.delta_ns = 100e6;
  const SignatureFit fit = fit_signature(planted::measure(network, quiet(), 1), {});
  EXPECT_FALSE(fit.signature.delta_per_message);
  EXPECT_NEAR(fit.signature.delta_ns, 100e6, 100);
}

TEST(Fit, KeepsMWhereItIsGivenAndHasNoDeltaWhereItCannotSearch) {
  Measuring five = quiet();
  five.sizes_bytes = {1024, 4096, 16384, 65536, 262144};
  const AlltoallTimes measured = planted::measure({}, five, 1);
  const SignatureFit given = fit_signature(measured, {.delta_from_bytes = 8192});
  EXPECT_EQ(given.signature.delta_from_bytes, 8192u);
  EXPECT_NEAR(given.signature.delta_ns, 4.93e6, 10);
  const SignatureFit without = fit_signature(measured, {});
  EXPECT_EQ(without.signature.delta_ns, 0);
  EXPECT_THAT(without.remarks, Contains(HasSubstr("fewer than six sizes")));
}

TEST(Fit, IsNotMovedByOutliers) {
  Measuring measuring;
  measuring.noise.outlier_rate = 0.1;
  const SignatureFit fit = fit_signature(planted::measure({}, measuring, 3), {});
  EXPECT_NEAR(fit.signature.gamma / 4.3628, 1, 0.02);
  EXPECT_GT(fit.outliers, 100u);
  // One time per cell: nothing in a cell tells which of its times is odd.
  AlltoallTimes single = planted::measure({}, quiet(), 1);
  single.times[7].duration_ns *= 10;
  EXPECT_NEAR(fit_signature(single, {}).signature.gamma / 4.3628, 1, 0.02);
}

TEST(Fit, OfOneNumberOfRanksIsMarked) {
  Measuring one = quiet();
  one.ranks = {40};
  const SignatureFit fit =
      fit_signature(planted::measure({}, one, 1), {.delta_form = DeltaForm::kPerCommunication});
  EXPECT_NEAR(fit.signature.gamma, 4.3628, 1e-5);
  EXPECT_FALSE(fit.signature.saturated);
  EXPECT_FALSE(fit.error_left_out);
  EXPECT_THAT(fit.remarks, Contains(HasSubstr("only at n = 40")));
}

// Paper, 8.3: Myrinet at n' = 24 lies below its saturation, which is beyond 40.
Network myrinet() {
  Network network{.message = straight_line(10e3, 4.2)};
  network.gamma = 2.49754 * std::pow(40.0 / 24, 0.4);
  network.delta_ns = 0;
  network.saturation = [](std::int64_t ranks) {
    return std::pow(std::min(1.0, static_cast<double>(ranks) / 40), 0.4);
  };
  return network;
}

TEST(Fit, MarksMyrinetBelowItsSaturation) {
  Measuring below;
  below.ranks = {8, 16, 24};
  const SignatureFit fit = fit_signature(planted::measure(myrinet(), below, 1), {});
  EXPECT_FALSE(fit.signature.saturated);
  EXPECT_NEAR(fit.signature.gamma, 2.49754, 0.03);  // as published, at 24
  EXPECT_EQ(fit.signature.delta_ns, 0);
  EXPECT_NEAR(fit.signature.growth, 0.4, 0.05);
  EXPECT_THAT(fit.remarks, Contains(HasSubstr("not saturated at n = 24")));
}

TEST(Fit, OfMyrinetSaturatedHasOneGammaFromThereOn) {
  Measuring beyond;
  beyond.ranks = {16, 24, 40, 48, 64};
  const SignatureFit fit = fit_signature(planted::measure(myrinet(), beyond, 1), {});
  EXPECT_TRUE(fit.signature.saturated);
  EXPECT_EQ(fit.saturated_from, 40);
  EXPECT_NEAR(fit.signature.gamma / myrinet().gamma, 1, 0.02);
  ASSERT_EQ(fit.gamma_by_ranks.size(), 5u);
  EXPECT_NEAR(fit.gamma_by_ranks[1].gamma, 2.49754, 0.03);
}

TEST(Fit, DoesNotCallSaturatedWhatNoiseHides) {
  Measuring noisy;
  noisy.ranks = {4, 6};
  noisy.sessions = 1;
  noisy.repetitions = 4;
  noisy.noise.each = 0.4;
  const SignatureFit fit = fit_signature(planted::measure({}, noisy, 1), {});
  EXPECT_FALSE(fit.signature.saturated);
  EXPECT_GT(fit.signature.uncertainty->growth, 0.1);
  noisy.noise.each = 0.01;
  const SignatureFit known = fit_signature(planted::measure({}, noisy, 1), {});
  EXPECT_TRUE(known.signature.saturated);
  EXPECT_LT(known.signature.uncertainty->growth, 0.05);
}

TEST(Fit, NamesProcessorTimeWhereRanksShareCores) {
  Network network;
  network.gamma = 1.3;
  network.delta_ns = 0;
  network.cores = 2;
  network.processor_ns = 200e3;
  const SignatureFit fit = fit_signature(planted::measure(network, quiet(), 1), {});
  EXPECT_NEAR(fit.signature.processor_ns, 200e3, 10);
  EXPECT_NEAR(fit.signature.gamma, 1.3, 1e-5);
  EXPECT_THAT(fit.remarks, Contains(HasSubstr("processor time")));
}

TEST(Fit, LeavesSmallMessagesToTheirOwnRatios) {
  Measuring measuring = quiet();
  AlltoallTimes measured = planted::measure({}, measuring, 1);
  for (AlltoallTime& time : measured.times) {
    if (time.size_bytes <= 1024) time.duration_ns *= 0.5;
  }
  const SignatureFit fit = fit_signature(measured, {});
  ASSERT_EQ(fit.signature.small.size(), 2u);
  EXPECT_NEAR(fit.signature.small[0].ratio, 4.3628 / 2, 1e-3);
  EXPECT_NEAR(fit.signature.gamma, 4.3628, 1e-5);
  EXPECT_EQ(fit.signature.size_bytes_min, 2048u);
}

// Lost packets: one of them delays an exchange of any size by 200 ms.
TEST(Fit, IsNotMovedBySizesThatLosePackets) {
  Network network;
  network.gamma = 1.5;
  network.delta_ns = 0;
  network.by_cell = [](std::int64_t, std::uint64_t size_bytes) {
    return size_bytes == 16 << 10 || size_bytes == 32 << 10 ? 20.0 : 1.0;
  };
  const SignatureFit fit = fit_signature(planted::measure(network, {}, 1), {});
  EXPECT_NEAR(fit.signature.gamma, 1.5, 0.15);
  EXPECT_EQ(fit.signature.delta_ns, 0);
}

// Some sizes above, some below: gamma is in the middle of the ratios, as a factor.
TEST(Fit, IsThatOfFactors) {
  Network network;
  network.gamma = 2;
  network.delta_ns = 0;
  network.by_cell = [](std::int64_t, std::uint64_t size_bytes) {
    return std::popcount(size_bytes - 1) % 2 == 0 ? 2.0 : 0.5;
  };
  const SignatureFit fit =
      fit_signature(planted::measure(network, {}, 1), {.predicted_by = PredictedBy::kSignature});
  EXPECT_NEAR(fit.signature.gamma, 2, 0.3);
}

// Half of the sessions before, half after: no prediction may be sure of one of the two.
TEST(Fit, OfContentionThatChangesDuringTheCampaignHoldsBothOrRefuses) {
  Network before;
  before.gamma = 2;
  before.delta_ns = 0;
  Network after = before;
  after.gamma = 1.5 * before.gamma;
  const Measuring half{.sessions = 6};
  AlltoallTimes measured = planted::measure(before, half, 1);
  const AlltoallTimes later = planted::measure(after, half, 2);
  for (AlltoallTime time : later.times) {
    time.session += half.sessions;
    measured.times.push_back(time);
  }
  const SignatureFit fit = fit_signature(measured, {});
  int compared = 0;
  for (const std::int64_t ranks : {8, 24, 48}) {
    for (const std::uint64_t size_bytes : {1024u, 65536u, 1048576u}) {
      const AlltoallPrediction prediction = predict_alltoall(fit, ranks, size_bytes);
      if (prediction.verdict == Verdict::kRefused) continue;
      ++compared;
      EXPECT_LE(prediction.interval_ns->low, before.duration_ns(ranks, size_bytes)) << ranks;
      EXPECT_GE(prediction.interval_ns->high, after.duration_ns(ranks, size_bytes)) << ranks;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(Fit, IsTheSameForTheSameTimes) {
  const AlltoallTimes measured = planted::measure({}, {}, 1);
  EXPECT_EQ(fit_signature(measured, {}), fit_signature(measured, {}));
}

TEST(Fit, OfSessionsWithOneNumberOfRanksEachStillWorks) {
  AlltoallTimes measured = planted::measure({}, quiet(), 1);
  for (AlltoallTime& time : measured.times) time.session = static_cast<std::uint32_t>(time.ranks);
  EXPECT_NEAR(fit_signature(measured, {}).signature.gamma, 4.3628, 1e-5);
}

}  // namespace
}  // namespace nmt::contention
