// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "core/statistics.h"
#include "tests/tuner/planted.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

using planted::Campaigning;
using planted::measure;

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 20;

const Verification::Decision* find(const Verification& verification, std::string_view kind) {
  for (const Verification::Decision& decision : verification.decisions) {
    if (decision.kind == kind) return &decision;
  }
  return nullptr;
}

Campaigning verified(const planted::Noise& noise) {
  return {.sizes_bytes = planted::grid(kMaxSize, true),
          .held_out_bytes = planted::log_uniform(3, kMaxSize, 40),
          .repetitions = 5,
          .noise = noise};
}

TEST(Verify, FindsPredictionsAsGoodAsMeasuringAgain) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<SampleSet> sets = {measure(planted::joe(), verified({}), seed).set};
    const Verification verification = verify(derive_plan(Id{}, sets, {}), sets);
    ASSERT_EQ(verification.predictions.size(), 3u);
    for (const Verification::Prediction& prediction : verification.predictions) {
      EXPECT_EQ(prediction.rail, "fake:joe");
      EXPECT_EQ(prediction.regime, "hot");
      EXPECT_EQ(prediction.sizes, 40u);
      EXPECT_LE(prediction.error_median, 1.5 * prediction.noise_floor) << prediction.method;
      EXPECT_LE(prediction.error_median, prediction.error_p95);
    }
  }
}

// Two medians of five repetitions with 2 % noise: the median of |a/b - 1| is 0.6745 sqrt(2) times
// the standard error of such a median, 0.02 * 0.5356 of five normal values.
TEST(Verify, ReportsTheNoiseOfOneMeasurement) {
  const planted::Noise noise = {.outlier_rate = 0, .round_drift = 0};
  const std::vector<SampleSet> sets = {measure(planted::joe(), verified(noise), 1).set};
  for (const auto& prediction : verify(derive_plan(Id{}, sets, {}), sets).predictions) {
    EXPECT_NEAR(prediction.noise_floor, 0.6745 * 1.4142 * 0.02 * 0.5356, 0.002);
  }
}

// The same noise, where the sizes that were sampled had one repetition in each round, or twenty.
TEST(Verify, ComparesMeasurementsOfEqualRepetitions) {
  for (const std::uint32_t together : {1u, 20u}) {
    std::vector<double> floors;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Campaigning campaigning = verified({.outlier_rate = 0, .round_drift = 0});
      campaigning.rounds = 40;
      campaigning.repetitions = 1;
      std::vector<SampleSet> sets = {measure(planted::joe(), campaigning, seed).set};
      for (Sample& sample : sets[0].samples) {
        for (Repetition& repetition : sample.repetitions) {
          repetition.round /= sample.held_out ? 5 : together;
        }
      }
      for (const auto& prediction : verify(derive_plan(Id{}, sets, {}), sets).predictions) {
        floors.push_back(prediction.noise_floor);
      }
    }
    EXPECT_NEAR(median(floors), 0.6745 * 1.4142 * 0.02 * 0.5356, 0.001) << together;
  }
}

TEST(Verify, DoesNotMistakeDriftForError) {
  planted::Noise noise = planted::kNone;
  noise.round_drift = 0.1;
  std::vector<SampleSet> sets = {measure(planted::infini(), verified(noise), 1).set};
  for (const auto& prediction : verify(derive_plan(Id{}, sets, {}), sets).predictions) {
    EXPECT_LT(prediction.error_p95, 0.001) << prediction.method;
  }
}

TEST(Verify, SeesAPlanThatIsWrong) {
  const std::vector<SampleSet> sets = {measure(planted::joe(), verified(planted::kNone), 1).set};
  Plan plan = derive_plan(Id{}, sets, {});
  for (PlanCurve& curve : plan.rails[0].curves) {
    std::vector<Point> points(curve.duration.points().begin(), curve.duration.points().end());
    for (Point& point : points) point.duration_ns *= 1.1;
    curve.duration = Curve(points);
  }
  for (Threshold& threshold : plan.rails[0].thresholds) {
    if (threshold.kind != DecisionKind::kRendezvous) continue;
    threshold.ranges = {{0, 65536, "eager"}, {65536, std::nullopt, "rendezvous"}};
  }
  const Verification verification = verify(plan, sets);
  for (const auto& prediction : verification.predictions) {
    EXPECT_NEAR(prediction.error_median, 0.1, 0.01);
  }
  // joe by rendezvous from 64 KB only: eager costs up to 84 % at 32 KB, and more above.
  EXPECT_GT(find(verification, "rendezvous")->regret_p95, 0.5);
  EXPECT_LT(find(verification, "iovec")->regret_p95, 0.01);
}

TEST(Verify, FindsNoRegretInAGoodPlan) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<SampleSet> sets = {measure(planted::genepi(), verified({}), seed).set};
    for (const auto& decision : verify(derive_plan(Id{}, sets, {}), sets).decisions) {
      EXPECT_EQ(decision.regret_median, 0) << decision.kind;
      EXPECT_LE(decision.regret_p95, 0.02) << decision.kind;
    }
  }
}

// Two methods that are equal, measured badly: which of them is slower is chance, and changes from
// one half of the rounds to the other.
TEST(Verify, DoesNotTakeNoiseForRegret) {
  planted::Rail rail = planted::joe();
  rail.iovec = rail.copy;
  double regret_p95 = 0;
  constexpr std::uint64_t kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<SampleSet> sets = {measure(rail, verified({.cv = 0.06}), seed).set};
    const Verification verification = verify(derive_plan(Id{}, sets, {}), sets);
    regret_p95 += find(verification, "iovec")->regret_p95 / kSeeds;
  }
  EXPECT_LE(regret_p95, 0.015);
}

TEST(Verify, LooksOnlyWhereThereIsAChoice) {
  const Campaigning campaigning = verified(planted::kNone);
  const std::vector<SampleSet> sets = {measure(planted::joe(), campaigning, 1).set};
  const Plan plan = derive_plan(Id{}, sets, {});
  const Verification verification = verify(plan, sets);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::size_t>(
        std::count_if(campaigning.held_out_bytes.begin(), campaigning.held_out_bytes.end(),
                      [&](std::uint64_t size) { return size < limit; }));
  };
  const std::uint64_t rendezvous = *plan.rails[0].find_threshold(DecisionKind::kRendezvous)->bytes;
  EXPECT_EQ(find(verification, "iovec")->sizes, 40u);
  EXPECT_EQ(find(verification, "rendezvous")->sizes, below(65536));
  EXPECT_EQ(find(verification, "aggregation")->sizes, below((rendezvous + 1) / 2));
}

TEST(Verify, OfNothingHeldOutIsEmpty) {
  const std::vector<SampleSet> sets = {
      measure(planted::joe(), {.sizes_bytes = planted::grid(kMaxSize)}, 1).set};
  EXPECT_EQ(verify(derive_plan(Id{}, sets, {}), sets), Verification{});
}

}  // namespace
}  // namespace nmt::tuner
