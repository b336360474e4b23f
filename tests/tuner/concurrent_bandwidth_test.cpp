// SPDX-License-Identifier: BSD-3-Clause
//
// Plans of rails that were measured beside busy ones.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/tuner/planted.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 20;

// The rail's samples, and its transfers once more beside `busy`, where they take `factor` times as
// long.
SampleSet measured(const planted::Rail& rail, const std::string& busy, double factor) {
  const planted::Campaigning campaigning = {.sizes_bytes = planted::grid(kSizeMax),
                                            .noise = planted::kNone};
  SampleSet set = planted::measure(rail, campaigning, 1).set;
  const std::vector<Sample> alone = set.samples;
  for (Sample sample : alone) {
    if (sample.condition.benchmark != benchmark::kTransfer) continue;
    sample.condition.busy_rails = busy;
    for (Repetition& repetition : sample.repetitions) {
      repetition.total_ns =
          static_cast<std::uint64_t>(factor * static_cast<double>(repetition.total_ns));
      repetition.round += 100;
    }
    set.samples.push_back(std::move(sample));
  }
  return set;
}

const RailPlan& plan_of(const Plan& plan, std::string_view rail, std::string_view busy) {
  for (const RailPlan& each : plan.rails) {
    if (each.rail == rail && each.busy_rails == busy) return each;
  }
  throw std::runtime_error("no plan of " + std::string(rail) + " beside " + std::string(busy));
}

Plan two_rails() {
  const std::vector<SampleSet> sets = {measured(planted::jack(), "fake:joe", 2),
                                       measured(planted::joe(), "fake:jack", 1)};
  return derive_plan({}, sets, {});
}

TEST(ConcurrentBandwidth, ARailBesideBusyOnesHasItsOwnCurvesAndItsThresholdsFromAlone) {
  const Plan plan = two_rails();
  const RailPlan& alone = plan_of(plan, "fake:jack", "");
  const RailPlan& beside = plan_of(plan, "fake:jack", "fake:joe");
  EXPECT_EQ(alone.thresholds.size(), 3u);
  EXPECT_EQ(beside.thresholds, alone.thresholds);
  for (const std::uint64_t size_bytes : {64u, 16384u, 1048576u}) {
    const auto slow = predict_transfer(beside, size_bytes, std::nullopt);
    const auto fast = predict_transfer(alone, size_bytes, std::nullopt);
    ASSERT_TRUE(slow && fast);
    EXPECT_EQ(slow->method, fast->method);
    EXPECT_NEAR(slow->duration_ns / fast->duration_ns, 2, 0.01);
  }
}

TEST(ConcurrentBandwidth, TheShareOfTheSumIsWhatBothCarryAtOnceOfWhatEachCarriesAlone) {
  const std::vector<ConcurrentBandwidth> all = concurrent_bandwidths(two_rails());
  ASSERT_EQ(all.size(), 2u);  // 64 KiB and 1 MiB
  for (const ConcurrentBandwidth& each : all) {
    ASSERT_EQ(each.rails.size(), 2u);
    const RailSpeed& jack = each.rails[0];
    const RailSpeed& joe = each.rails[1];
    EXPECT_EQ(jack.rail, "fake:jack");
    EXPECT_EQ(joe.rail, "fake:joe");
    EXPECT_NEAR(jack.concurrent_bytes_per_second / jack.alone_bytes_per_second, 0.5, 0.005);
    EXPECT_NEAR(joe.concurrent_bytes_per_second / joe.alone_bytes_per_second, 1, 0.005);
    const double sum = jack.alone_bytes_per_second + joe.alone_bytes_per_second;
    EXPECT_NEAR(each.share_of_sum(), 1 - jack.alone_bytes_per_second / 2 / sum, 0.005);
  }
}

TEST(ConcurrentBandwidth, SaysNothingOfRailsOfWhichOnlyOneWasMeasuredBesideTheOther) {
  planted::Rail joe = planted::joe();
  std::vector<SampleSet> sets = {measured(planted::jack(), "fake:joe", 2), measured(joe, "", 1)};
  EXPECT_TRUE(concurrent_bandwidths(derive_plan({}, sets, {})).empty());
}

}  // namespace
}  // namespace nmt::tuner
