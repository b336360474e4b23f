// SPDX-License-Identifier: BSD-3-Clause
//
// What predicts: a signature, or the ratio of each size. Networks of both kinds are planted.
#include "contention/ratios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "contention/resampling.h"
#include "core/alltoall.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using planted::Measuring;
using planted::Network;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kAsked[] = {48, 64};

Measuring at_16_to_32(std::uint32_t sessions = 6) {
  return {.ranks = {16, 24, 32}, .sessions = sessions};
}

// A library that changes its algorithm at 8 and at 128 KiB, and a network without a delta.
Network two_changes() {
  Network network;
  network.gamma = 1.5;
  network.delta_ns = 0;
  network.by_cell = [](std::int64_t, std::uint64_t size_bytes) {
    if (size_bytes < 8 << 10) return 1.0;
    return size_bytes < 128 << 10 ? 1.7 : 0.8;
  };
  return network;
}

struct Judged {
  double error = 0;  // mean, relative
  double held = 0;   // share of the intervals that hold the truth
};
Judged judged(const SignatureFit& fit, const Network& network) {
  const Measuring measuring = at_16_to_32();
  Judged all;
  const double count = static_cast<double>(std::size(kAsked) * measuring.sizes_bytes.size());
  for (const std::int64_t ranks : kAsked) {
    for (const std::uint64_t size_bytes : measuring.sizes_bytes) {
      const AlltoallPrediction prediction = predict_alltoall(fit, ranks, size_bytes);
      const double truth_ns = network.duration_ns(ranks, size_bytes);
      all.error += std::abs(prediction.predicted_ns / truth_ns - 1) / count;
      const Interval& interval = *prediction.interval_ns;
      all.held += (interval.low <= truth_ns && truth_ns <= interval.high ? 1 : 0) / count;
    }
  }
  return all;
}

TEST(Ratios, OfANetworkWithOneSignatureDoNotPredict) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Network network = planted::random_network(at_16_to_32(), seed);
    const SignatureFit fit =
        fit_signature(planted::measure(network, at_16_to_32(), seed), {.seed = seed});
    EXPECT_FALSE(predicts_by_ratios(fit.signature)) << seed;
  }
}

TEST(Ratios, PredictWhereTheAlgorithmChangesWithTheSize) {
  const Network network = two_changes();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const AlltoallTimes measured = planted::measure(network, at_16_to_32(), seed);
    const SignatureFit fit = fit_signature(measured, {});
    ASSERT_TRUE(predicts_by_ratios(fit.signature)) << seed;
    EXPECT_EQ(fit.signature.small.size(), 12u);
    EXPECT_THAT(fit.remarks, Contains(HasSubstr("each size keeps its own measured ratio")));
    const Judged all = judged(fit, network);
    EXPECT_LE(all.error, 0.03) << seed;
    EXPECT_GE(all.held, 0.95) << seed;
    const SignatureFit without = fit_signature(measured, {.predicted_by = PredictedBy::kSignature});
    EXPECT_FALSE(predicts_by_ratios(without.signature));
    EXPECT_GE(judged(without, network).error, 2 * all.error) << seed;
  }
}

TEST(Ratios, GrowWithTheNumberOfRanks) {
  Network network = two_changes();
  network.saturation = [](std::int64_t ranks) {
    return 2 / (1 + 16.0 / static_cast<double>(ranks));
  };
  const SignatureFit fit = fit_signature(planted::measure(network, at_16_to_32(), 1), {});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  const Judged all = judged(fit, network);
  EXPECT_LE(all.error, 0.06);
  EXPECT_GE(all.held, 0.95);
  EXPECT_FALSE(fit.signature.saturated);
  EXPECT_THAT(fit.remarks, Contains(HasSubstr("not saturated at n = 32: the ratios still")));
}

// gamma, and how it grows, describe the network as they do without ratios.
TEST(Ratios, LeaveGammaAsItIs) {
  Network network = two_changes();
  network.saturation = [](std::int64_t ranks) { return ranks < 24 ? 0.8 : 1.0; };
  const AlltoallTimes measured = planted::measure(network, at_16_to_32(), 1);
  const SignatureFit by_ratios = fit_signature(measured, {.predicted_by = PredictedBy::kRatios});
  const SignatureFit by_gamma = fit_signature(measured, {.predicted_by = PredictedBy::kSignature});
  ASSERT_TRUE(predicts_by_ratios(by_ratios.signature));
  const RatioGrowth& ratios = *by_ratios.signature.ratio_growth;
  ASSERT_EQ(ratios.rises.size(), 3u);
  EXPECT_NEAR(ratios.rises[0].factor, 0.8, 0.06);
  EXPECT_EQ(by_ratios.signature.rises, by_gamma.signature.rises);
  EXPECT_EQ(by_ratios.signature.growth, by_gamma.signature.growth);
  EXPECT_EQ(by_ratios.signature.gamma, by_gamma.signature.gamma);
  EXPECT_EQ(by_ratios.signature.uncertainty, by_gamma.signature.uncertainty);
  EXPECT_EQ(by_ratios.gamma_by_ranks, by_gamma.gamma_by_ranks);
  EXPECT_EQ(by_ratios.saturated_from, by_gamma.saturated_from);
}

// Nothing says how far another number of ranks is from it.
TEST(Ratios, OfOneNumberOfRanksAreAsUncertainAsTheirSpread) {
  Measuring one = at_16_to_32();
  one.ranks = {32};
  const SignatureFit fit = fit_signature(
      planted::measure(two_changes(), one, 1),
      {.delta_form = DeltaForm::kPerCommunication, .predicted_by = PredictedBy::kRatios});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  EXPECT_FALSE(fit.error_left_out);
  EXPECT_THAT(fit.remarks, Not(Contains(HasSubstr("instead of"))));
  const AlltoallPrediction prediction = predict_alltoall(fit, 32, 64 << 10);
  const Uncertainty& uncertainty = *fit.signature.uncertainty;
  EXPECT_GT(std::log(prediction.interval_ns->high / prediction.predicted_ns),
            uncertainty.quantile * uncertainty.sessions);
}

TEST(Ratios, OfTwoNumbersOfRanksPredictToo) {
  const Network network = two_changes();
  Measuring measuring = at_16_to_32();
  measuring.ranks = {16, 32};
  const SignatureFit fit = fit_signature(planted::measure(network, measuring, 1), {});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  EXPECT_LE(judged(fit, network).error, 0.05);
}

// Processor time is no part of a ratio: it grows with the ranks in another way.
TEST(Ratios, AreOfTheNetworkAlone) {
  Network network = two_changes();
  network.cores = 2;
  network.processor_ns = 20e3;
  const SignatureFit fit = fit_signature(planted::measure(network, at_16_to_32(), 1), {});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  EXPECT_LE(judged(fit, network).error, 0.1);
}

TEST(Ratios, OfUnequalSizesThatAreEqualPredictTheSame) {
  const Network network = two_changes();
  const SignatureFit fit = fit_signature(planted::measure(network, at_16_to_32(), 1), {});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  const ExchangeSizes sizes(48, std::vector<std::uint64_t>(48, 16 << 10));
  EXPECT_NEAR(predict_alltoallv(fit, sizes).predicted_ns,
              predict_alltoall(fit, 48, 16 << 10).predicted_ns, 1);
}

// The network grows as one of the two shapes that are tried: three numbers of ranks tell no other,
// such as a step, from them.
TEST(Ratios, OfSizesThatHardlyDifferPredictHardlyDifferently) {
  Network network = two_changes();
  network.saturation = [](std::int64_t ranks) {
    return 2 / (1 + 16.0 / static_cast<double>(ranks));
  };
  const SignatureFit fit = fit_signature(planted::measure(network, at_16_to_32(), 1),
                                         {.predicted_by = PredictedBy::kRatios});
  for (const std::size_t ranks : {16u, 32u, 48u}) {  // below, at and above the largest
    ExchangeSizes sizes(ranks, std::vector<std::uint64_t>(ranks, 16 << 10));
    const double equal_ns = predict_alltoallv(fit, sizes).predicted_ns;
    EXPECT_NEAR(equal_ns / network.duration_ns(static_cast<std::int64_t>(ranks), 16 << 10), 1, 0.1);
    sizes[0][1] += 1;
    EXPECT_NEAR(predict_alltoallv(fit, sizes).predicted_ns / equal_ns, 1, 1e-3);
    sizes[0][1] = 0;
    EXPECT_NEAR(predict_alltoallv(fit, sizes).predicted_ns / equal_ns, 1, 0.01);
  }
}

// A byte is in a message of (4 * 4 KiB^2 + 2 * 64 KiB^2) / (4 * 4 KiB + 2 * 64 KiB) on average.
TEST(Ratios, OfUnequalSizesAreThoseWhereMostBytesAre) {
  const double mean_bytes =
      (4 * std::pow(4096, 2) + 2 * std::pow(65536, 2)) / (4 * 4096 + 2 * 65536);
  const auto factor = [&](const Signature& signature) {
    const ExchangeSizes sizes = {{0, 4096, 65536}, {65536, 0, 4096}, {4096, 4096, 0}};
    const AlltoallPrediction prediction = predict_alltoallv(taken_as_given(signature), sizes);
    return prediction.predicted_ns / prediction.lower_bound_ns;
  };
  Signature signature{.bound = straight_line(50e3, 8.5),
                      .gamma = 7,
                      .size_bytes_min = 1 << 20,
                      .small = {{1024, 1, 0}, {1 << 20, 4, 0}}};
  const double expected = std::pow(4, std::log(mean_bytes / 1024) / std::log(1024));
  EXPECT_NEAR(factor(signature), expected, 1e-4);  // below the fitted sizes
  signature.ratio_growth = RatioGrowth{
      .rises = {{3, 0.5}, {6, 1}}, .growth = 0, .growth_error = 0, .growth_saturates = false};
  EXPECT_NEAR(factor(signature), 0.5 * expected, 1e-4);
}

TEST(Ratios, AreLessCertainAtEachStepBeyondWhatWasMeasured) {
  const SignatureFit fit = fit_signature(planted::measure(two_changes(), at_16_to_32(), 1), {});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  double last = 0;
  for (const std::int64_t ranks : {32, 48, 64, 256}) {
    const Interval interval = *predict_alltoall(fit, ranks, 16 << 10).interval_ns;
    EXPECT_GT(interval.high / interval.low, last) << ranks;
    last = interval.high / interval.low;
  }
}

TEST(Ratios, AreThoseOfTheLastSizesBeyondThem) {
  const SignatureFit fit = fit_signature(planted::measure(two_changes(), at_16_to_32(), 1), {});
  ASSERT_TRUE(predicts_by_ratios(fit.signature));
  const auto ratio = [&](std::uint64_t size_bytes) {
    const AlltoallPrediction prediction = predict_alltoall(fit, 32, size_bytes);
    return prediction.predicted_ns / prediction.lower_bound_ns;
  };
  EXPECT_NEAR(ratio(1 << 24), ratio(1 << 20), 1e-9);
  EXPECT_NEAR(ratio(64), ratio(512), 1e-9);
}

// As in tables of Student's t.
TEST(Student, HasQuantilesToOneSideAndToBoth) {
  EXPECT_NEAR(student_quantile(1), 12.706, 0.001);
  EXPECT_NEAR(student_quantile(2), 4.303, 0.001);
  EXPECT_NEAR(student_quantile(5), 2.571, 0.01);
  EXPECT_NEAR(student_upper_quantile(1), 6.314, 0.001);
  EXPECT_NEAR(student_upper_quantile(2), 2.920, 0.001);
  EXPECT_NEAR(student_upper_quantile(3), 2.353, 0.02);
  EXPECT_NEAR(student_upper_quantile(10), 1.812, 0.001);
}

// Networks whose sizes depart from a signature by nothing, by as much as noise, or by much; and the
// departure stays as it is at more ranks, or is a new one at each number of them.
TEST(Ratios, OfNetworksOfBothKindsAreHardlyEverWorse) {
  constexpr std::uint64_t kSets = 12;
  for (const double departure : {0.0, 0.03, 0.1, 0.3}) {
    for (const bool stays : {true, false}) {
      double chosen = 0;
      double signature = 0;
      double ratios = 0;
      double held = 0;
      for (std::uint64_t seed = 1; seed <= kSets; ++seed) {
        Network network = planted::random_network(at_16_to_32(), seed);
        if (seed % 2 == 0) network.delta_ns = 0;
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        std::map<std::pair<std::int64_t, std::uint64_t>, double> factors;
        for (const std::uint64_t size_bytes : Measuring().sizes_bytes) {
          const double of_all = normal(random);
          for (const std::int64_t ranks : {16, 24, 32, 48, 64}) {
            factors[{ranks, size_bytes}] = std::exp(departure * (stays ? of_all : normal(random)));
          }
        }
        network.by_cell = [&](std::int64_t ranks, std::uint64_t size_bytes) {
          return factors.at({ranks, size_bytes});
        };
        const AlltoallTimes measured = planted::measure(network, at_16_to_32(), seed);
        const auto judge = [&](std::optional<PredictedBy> predicted_by) {
          return judged(fit_signature(measured, {.predicted_by = predicted_by, .seed = seed}),
                        network);
        };
        const Judged one = judge({});
        chosen += one.error / kSets;
        held += one.held / kSets;
        signature += judge(PredictedBy::kSignature).error / kSets;
        ratios += judge(PredictedBy::kRatios).error / kSets;
      }
      EXPECT_LE(chosen, 1.1 * std::min(signature, ratios) + 0.01) << departure << " " << stays;
      EXPECT_GE(held, 0.9) << departure << " " << stays;
    }
  }
}

}  // namespace
}  // namespace nmt::contention
