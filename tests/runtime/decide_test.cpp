// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "runtime/aggregation.h"
#include "tests/runtime/planted.h"
#include "tuner/tuner.h"

namespace nmt::runtime {
namespace {

using planted::Profile;

// One byte on each side of every change of every decision, and what lies between.
std::set<std::uint64_t> telling_sizes(const RailPlan& rail) {
  std::set<std::uint64_t> sizes = {0, 1, 1u << 20, std::uint64_t{1} << 40, INT64_MAX};
  for (const Threshold& threshold : rail.thresholds) {
    for (const Range& range : threshold.ranges) {
      for (const std::uint64_t size : {range.from_bytes - 1, range.from_bytes, range.from_bytes + 1,
                                       range.from_bytes * 3 / 2}) {
        if (size <= INT64_MAX) sizes.insert(size);
      }
    }
  }
  return sizes;
}

// Where the tuner's choice was measured.
std::optional<tuner::Prediction> tuners(const RailPlan& rail, std::uint64_t size_bytes) {
  return tuner::predict_transfer(rail, size_bytes, std::nullopt);
}

TEST(Method, AgreesWithTheTunerOnBothSidesOfEveryThreshold) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 300; ++k) {
    const RailPlan rail = planted::random_full_rail(random, "r");
    const Profile profile(planted::plan({rail}));
    for (const std::uint64_t size : telling_sizes(rail)) {
      const int method = nmt_method_for(profile.get(), 0, size);
      ASSERT_GE(method, 0);
      EXPECT_EQ(to_string(kMethods[static_cast<std::size_t>(method)]), tuners(rail, size)->method)
          << size;
    }
  }
}

TEST(Method, AgreesWithTheTunerHoweverOftenItChanges) {
  std::vector<std::uint64_t> changes;
  for (std::uint64_t size = 10; size < 100000; size = size * 3 / 2) changes.push_back(size);
  std::mt19937_64 random(1);
  RailPlan rail = planted::random_full_rail(random, "r");
  rail.thresholds[0] = planted::threshold(DecisionKind::kIovec, changes);
  const Profile profile(planted::plan({rail}));
  for (const std::uint64_t size : telling_sizes(rail)) {
    const int method = nmt_method_for(profile.get(), 0, size);
    ASSERT_GE(method, 0);
    EXPECT_EQ(to_string(kMethods[static_cast<std::size_t>(method)]), tuners(rail, size)->method);
  }
}

TEST(Prediction, IsTheTunersOwn) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 100; ++k) {
    const RailPlan rail = planted::random_full_rail(random, "r");
    const Profile profile(planted::plan({rail}));
    for (const std::uint64_t size : telling_sizes(rail)) {
      for (const std::optional<Method> method :
           {std::optional<Method>(), std::optional(Method::kCopy), std::optional(Method::kIovec),
            std::optional(Method::kRendezvous)}) {
        nmt_prediction found{};
        found.struct_bytes = sizeof found;
        const int asked = method ? static_cast<int>(*method) : int{NMT_ANY_METHOD};
        ASSERT_EQ(nmt_predict(profile.get(), 0, asked, size, &found), NMT_OK);
        const std::optional<tuner::Prediction> expected =
            tuner::predict_transfer(rail, size, method);
        EXPECT_EQ(found.duration_ns, expected->duration_ns);
        EXPECT_EQ(found.low_ns, expected->low_ns);
        EXPECT_EQ(found.high_ns, expected->high_ns);
        EXPECT_EQ((found.flags & NMT_ADVICE_EXTRAPOLATED) != 0, expected->extrapolated);
      }
      EXPECT_NEAR(nmt_duration_ns(profile.get(), 0, size), tuners(rail, size)->duration_ns,
                  2e-3 * tuners(rail, size)->duration_ns);
    }
  }
}

// The rule itself, with what the plan says about equal packets.
bool should_aggregate(const RailPlan& rail, const AggregationCurves& curves, std::uint64_t a,
                      std::uint64_t b) {
  const std::optional<std::uint64_t> end = eager_end(rail);
  if (end && a + b >= *end) return false;
  if (a == b) {
    return rail.find_threshold(DecisionKind::kAggregation)->choice_at(a) == "aggregate";
  }
  const double together = curves.together.at(static_cast<double>(a + b));
  return together < curves.one_of_two.at(static_cast<double>(a)) +
                        curves.one_of_two.at(static_cast<double>(b));
}

// The curves' own difference, where it decides; too small to tell after rounding to 24 bits.
bool is_a_draw(const AggregationCurves& curves, std::uint64_t a, std::uint64_t b) {
  const double together = curves.together.at(static_cast<double>(a + b));
  const double apart =
      curves.one_of_two.at(static_cast<double>(a)) + curves.one_of_two.at(static_cast<double>(b));
  return std::abs(together - apart) < 3e-3 * apart;
}

TEST(Aggregation, AgreesWithTheTunerOnBothSidesOfEveryThreshold) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 300; ++k) {
    const RailPlan rail = planted::random_full_rail(random, "r");
    const Profile profile(planted::plan({rail}));
    const std::optional<std::uint64_t> end = eager_end(rail);
    for (const std::uint64_t size : telling_sizes(rail)) {
      if (size > INT64_MAX / 2 || (end && 2 * size >= *end)) continue;
      const bool expected =
          rail.find_threshold(DecisionKind::kAggregation)->choice_at(size) == "aggregate";
      EXPECT_EQ(nmt_aggregate(profile.get(), 0, size, size), expected)
          << "seed " << k << ", " << size;
    }
  }
}

TEST(Aggregation, OfUnequalPacketsComparesTheCurves) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> exponent(0, 20);
  int together = 0, apart = 0;
  for (int k = 0; k < 150; ++k) {
    const RailPlan rail = planted::random_full_rail(random, "r");
    const AggregationCurves curves = aggregation_curves(rail);
    const Profile profile(planted::plan({rail}));
    for (int i = 0; i < 500; ++i) {
      const auto a = static_cast<std::uint64_t>(std::exp2(exponent(random)));
      const auto b = static_cast<std::uint64_t>(std::exp2(exponent(random)));
      if (a == b || is_a_draw(curves, a, b)) continue;
      const bool expected = should_aggregate(rail, curves, a, b);
      (expected ? together : apart)++;
      EXPECT_EQ(nmt_aggregate(profile.get(), 0, a, b), expected)
          << "rail " << k << ": " << a << " and " << b;
    }
  }
  EXPECT_GT(together, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(Aggregation, IsSettledByTheSumForNearlyAllPairs) {
  // Curves as of a copy that costs more and more: the gain falls with the sum and with little else.
  std::vector<Point> two, one;
  for (double size = 1; size <= 65536; size *= 2) {
    two.push_back({size, 3000 + 2 * size});
    one.push_back({size, 2000 + 2 * size + 2 * size / 10});
  }
  const RailPlan rail = planted::rail("r",
                                      {planted::curve(benchmark::kTransfer, "copy", two),
                                       planted::curve(benchmark::kTransfer, "rendezvous", two),
                                       planted::curve(benchmark::kTwoPackets, "copy", two),
                                       planted::curve(benchmark::kAggregate, "copy", one)},
                                      {planted::threshold(DecisionKind::kRendezvous, {65536}),
                                       planted::threshold(DecisionKind::kAggregation, {5000})});
  const SettledSums settled = settled_sums(rail, aggregation_curves(rail));
  EXPECT_GE(settled.below, 4096u);
  EXPECT_LE(settled.from, 32768u);
}

TEST(Decisions, HaveNoAdviceWhereNothingWasMeasured) {
  const Profile profile(planted::plan({planted::rail("r", {})}));
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  EXPECT_EQ(nmt_method_for(profile.get(), 0, 100), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_duration_ns(profile.get(), 0, 100), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_aggregate(profile.get(), 0, 100, 100), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_predict(profile.get(), 0, NMT_ANY_METHOD, 100, &prediction), NMT_NO_ADVICE);
  EXPECT_EQ(nmt_predict(profile.get(), 0, NMT_COPY, 100, &prediction), NMT_NO_ADVICE);
  nmt_threshold_info info{};
  info.struct_bytes = sizeof info;
  EXPECT_EQ(nmt_threshold(profile.get(), 0, NMT_DECIDE_IOVEC, &info), NMT_NO_ADVICE);
}

TEST(Thresholds, AreThePlansOwn) {
  std::mt19937_64 random(5);
  RailPlan rail = planted::random_full_rail(random, "r");
  Threshold& aggregation = rail.thresholds[2];
  aggregation = planted::threshold(DecisionKind::kAggregation, {100, 2000});
  aggregation.low_bytes = 90;
  aggregation.high_bytes = 120;
  aggregation.regret = 0.01;
  aggregation.bounded = true;
  const Profile profile(planted::plan({rail}));
  nmt_threshold_info info{};
  info.struct_bytes = sizeof info;
  ASSERT_EQ(nmt_threshold(profile.get(), 0, NMT_DECIDE_AGGREGATION, &info), NMT_OK);
  EXPECT_EQ(info.answer, std::uint32_t{NMT_RANGES});
  EXPECT_EQ(info.low_bytes, 90u);
  EXPECT_EQ(info.high_bytes, 120u);
  EXPECT_EQ(info.regret, 0.01);
  EXPECT_EQ(info.bounded, 1u);
  ASSERT_EQ(info.ranges, 3u);
  nmt_range range{};
  range.struct_bytes = sizeof range;
  ASSERT_EQ(nmt_threshold_range(profile.get(), 0, NMT_DECIDE_AGGREGATION, 1, &range), NMT_OK);
  EXPECT_EQ(range.above, 1u);
  EXPECT_EQ(range.from_bytes, 100u);
  EXPECT_EQ(range.to_bytes, 2000u);
  ASSERT_EQ(nmt_threshold_range(profile.get(), 0, NMT_DECIDE_AGGREGATION, 2, &range), NMT_OK);
  EXPECT_EQ(range.to_bytes, UINT64_MAX);
  EXPECT_EQ(nmt_threshold_range(profile.get(), 0, NMT_DECIDE_AGGREGATION, 3, &range), NMT_UNKNOWN);
}

}  // namespace
}  // namespace nmt::runtime
