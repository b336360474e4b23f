// SPDX-License-Identifier: BSD-3-Clause
#include "core/drift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace nmt {
namespace {

// A cell of `size_bytes` measured `repetitions` times in each of `rounds`, lasting
// `duration_ns * speed(round)` with log-normal noise.
template <class Speed>
Sample measured(std::uint64_t size_bytes, double duration_ns, int rounds, int repetitions,
                Speed speed, double noise, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Sample sample{.condition = {.benchmark = "transfer", .method = "copy"}, .size_bytes = size_bytes};
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < repetitions; ++i) {
      const double value = duration_ns * speed(round) * std::exp(noise * normal(random));
      sample.repetitions.push_back({.total_ns = static_cast<std::uint64_t>(std::lround(value)),
                                    .round = static_cast<std::uint32_t>(round)});
    }
  }
  return sample;
}

double five_percent_wave(int round) { return 1 + 0.05 * std::sin(0.7 * round); }

TEST(Drift, OfASteadyMachineIsOne) {
  std::mt19937_64 random(1);
  const auto steady = [](int) { return 1.0; };
  const std::vector<Sample> samples = {measured(1, 1e6, 6, 4, steady, 0, random),
                                       measured(2, 2e6, 6, 4, steady, 0, random)};
  const DriftFactors factors = estimate_drift(samples);
  ASSERT_EQ(factors.size(), 6u);
  for (const auto& [round, factor] : factors) EXPECT_DOUBLE_EQ(factor, 1) << round;
}

TEST(Drift, IsRecoveredExactlyWithoutNoise) {
  std::mt19937_64 random(1);
  const auto speed = [](int round) { return 1 + 0.01 * round; };  // median round: 1.02
  const std::vector<Sample> samples = {measured(1, 1e9, 5, 3, speed, 0, random),
                                       measured(2, 3e9, 5, 3, speed, 0, random)};
  const DriftFactors factors = estimate_drift(samples);
  for (int round = 0; round < 5; ++round) {
    EXPECT_NEAR(factors.at(static_cast<std::uint32_t>(round)), speed(round) / 1.02, 1e-8);
  }
}

TEST(Drift, IsFoundUnderNoiseAndOutliers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Sample> samples;
    for (std::uint64_t size = 1; size <= 8; ++size) {
      samples.push_back(
          measured(size, 1e6 * static_cast<double>(size), 10, 4, five_percent_wave, 0.02, random));
      samples.back().repetitions[size * 3].total_ns *= 20;
    }
    const DriftFactors factors = estimate_drift(samples);
    // Relative to round 0: what is common to all rounds is the session's usual speed.
    for (int round = 1; round < 10; ++round) {
      const double found = factors.at(static_cast<std::uint32_t>(round)) / factors.at(0);
      EXPECT_NEAR(found, five_percent_wave(round), 0.025) << "seed " << seed;
    }
  }
}

TEST(Drift, IsFoundWhereRoundsShareOnlySomeCells) {
  std::mt19937_64 random(3);
  std::vector<Sample> samples;
  for (std::uint64_t size = 1; size <= 12; ++size) {
    Sample sample = measured(size, 1e7, 8, 5, five_percent_wave, 0.002, random);
    // The first two are anchors; every other cell appears in one or two rounds only.
    if (size > 2) {
      const auto first = static_cast<std::uint32_t>(size % 7);
      std::erase_if(sample.repetitions, [&](const Repetition& repetition) {
        return repetition.round != first && repetition.round != first + size % 2;
      });
    }
    samples.push_back(sample);
  }
  const DriftFactors factors = estimate_drift(samples);
  for (int round = 1; round < 8; ++round) {
    EXPECT_NEAR(factors.at(static_cast<std::uint32_t>(round)) / factors.at(0),
                five_percent_wave(round), 0.005);
  }
}

// Most cells belong to the rounds before the machine slowed down; only the anchor saw both.
TEST(Drift, IsFoundWhereTheAnchorAloneSawTheChange) {
  std::mt19937_64 random(4);
  const auto speed = [](int round) { return round < 4 ? 1.0 : 1.3; };
  std::vector<Sample> samples;
  for (std::uint64_t size = 1; size <= 20; ++size) {
    Sample sample = measured(size, 1e7, 12, 3, speed, 0.005, random);
    std::erase_if(sample.repetitions,
                  [&](const Repetition& repetition) { return size != 1 && repetition.round >= 4; });
    samples.push_back(sample);
  }
  const DriftFactors factors = estimate_drift(samples);
  EXPECT_NEAR(factors.at(11) / factors.at(0), 1.3, 0.02);
}

TEST(Drift, IsNotWhatOnlySmallMessagesShow) {
  std::mt19937_64 random(1);
  const auto slow_to_wake = [](int round) { return round == 3 ? 3.0 : 1.0; };
  const auto steady = [](int) { return 1.0; };
  std::vector<Sample> samples;
  for (std::uint64_t size = 1; size <= 4; ++size) {
    samples.push_back(measured(size, 1e4, 6, 4, slow_to_wake, 0.02, random));
    samples.push_back(measured(size << 20, 1e7, 6, 4, steady, 0.02, random));
  }
  EXPECT_EQ(estimate_drift(samples).at(3), 1);
}

TEST(Drift, IsNotMoreThanMachinesDrift) {
  std::mt19937_64 random(1);
  const auto speed = [](int round) { return round == 2 ? 3.4 : round == 4 ? 1.3 : 1.0; };
  const std::vector<Sample> samples = {measured(1, 1e6, 6, 4, speed, 0, random),
                                       measured(2, 3e6, 6, 4, speed, 0, random)};
  const DriftFactors factors = estimate_drift(samples);
  EXPECT_EQ(factors.at(2), 1);
  EXPECT_NEAR(factors.at(4), 1.3, 1e-6);
}

TEST(Drift, OfARoundThatSharesNoCellIsOne) {
  std::mt19937_64 random(1);
  const auto speed = [](int round) { return 1 + 0.1 * round; };
  std::vector<Sample> samples = {measured(1, 1e6, 3, 3, speed, 0, random)};
  Sample alone = measured(2, 1e6, 1, 3, speed, 0, random);
  for (Repetition& repetition : alone.repetitions) repetition.round = 9;
  samples.push_back(alone);
  EXPECT_EQ(estimate_drift(samples).at(9), 1);
}

TEST(Drift, OfNothingIsEmpty) { EXPECT_TRUE(estimate_drift({}).empty()); }

TEST(ByRound, RemovesTheDriftAndKeepsRoundsApart) {
  std::mt19937_64 random(1);
  const auto speed = [](int round) { return round == 1 ? 1.5 : 1.0; };
  const Sample sample = measured(1, 1e6, 3, 5, speed, 0, random);
  const std::vector<RoundDurations> rounds = by_round(sample, {{0, 1.0}, {1, 1.5}});
  ASSERT_EQ(rounds.size(), 3u);
  for (std::uint32_t round = 0; round < 3; ++round) {
    EXPECT_EQ(rounds[round].round, round);
    EXPECT_EQ(rounds[round].n, 5u);
    EXPECT_DOUBLE_EQ(rounds[round].median_ns, 1e6);
  }
}

TEST(ByRound, DropsARoundThatWasDisturbedThroughout) {
  std::mt19937_64 random(1);
  Sample sample = measured(
      1, 1e6, 2, 4, [](int) { return 1.0; }, 0, random);
  for (Repetition& repetition : sample.repetitions) repetition.disturbed = repetition.round == 1;
  ASSERT_EQ(by_round(sample, {}).size(), 1u);
  EXPECT_EQ(by_round(sample, {})[0].round, 0u);
}

}  // namespace
}  // namespace nmt
