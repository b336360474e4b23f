// SPDX-License-Identifier: BSD-3-Clause
//
// Rails on which memory has to be registered before a rendezvous.
#include <gtest/gtest.h>

#include "core/method.h"
#include "tests/tuner/planted.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 20;

// The planted rail's samples, and registration that takes `cold_ns` once, 100 ns again.
Plan plan_with_registration(double cold_ns) {
  SampleSet set =
      planted::measure(planted::infini(),
                       {.sizes_bytes = planted::grid(kSizeMax, true), .noise = planted::kNone}, 1)
          .set;
  const Sample like = set.samples.front();
  for (std::uint64_t size_bytes = 4096; size_bytes <= kSizeMax; size_bytes *= 4) {
    for (const auto& [state, duration_ns] :
         {std::pair(registration::kCold, cold_ns), std::pair(registration::kCached, 100.0)}) {
      Sample sample = like;
      sample.size_bytes = size_bytes;
      sample.held_out = false;
      sample.condition.benchmark = benchmark::kRegistration;
      sample.condition.method.clear();
      sample.condition.registration = state;
      sample.repetitions.assign(9, {.total_ns = static_cast<std::uint64_t>(duration_ns)});
      set.samples.push_back(sample);
    }
  }
  return derive_plan({}, std::vector{set}, {});
}

TEST(Registrations, AreCurvesOfTheirOwn) {
  const auto all = registrations(plan_with_registration(5000));
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].costs.size(), 5u);
  for (const Registration::Cost& cost : all[0].costs) {
    EXPECT_DOUBLE_EQ(cost.cold_ns, 5000);
    EXPECT_DOUBLE_EQ(cost.cached_ns, 100);
  }
}

TEST(Registrations, MoveTheRendezvousThresholdOfMemoryUsedOnce) {
  const planted::Rail rail = planted::infini();
  const double cold_ns = 5000;
  const auto all = registrations(plan_with_registration(cold_ns));
  ASSERT_TRUE(all.at(0).rendezvous_cached_bytes && all[0].rendezvous_cold_bytes);
  const auto cached = static_cast<double>(*all[0].rendezvous_cached_bytes);
  const auto cold = static_cast<double>(*all[0].rendezvous_cold_bytes);
  EXPECT_GT(cold, cached);
  // Where the planted curves say so, within the step between the sizes that are looked at.
  const auto gain_ns = [&](double size_bytes) {
    const double eager_ns =
        std::min(rail.duration_ns(std::string(benchmark::kEager), Method::kCopy, size_bytes),
                 rail.duration_ns(std::string(benchmark::kEager), Method::kIovec, size_bytes));
    return eager_ns - rail.transfer_ns(Method::kRendezvous, size_bytes);
  };
  EXPECT_LT(gain_ns(cached / 1.2), 0);
  EXPECT_GT(gain_ns(cached * 1.1), 0);
  EXPECT_LT(gain_ns(cold / 1.2), 2 * (cold_ns - 100));
  EXPECT_GT(gain_ns(cold * 1.1), 2 * (cold_ns - 100));
}

TEST(Registrations, ThatCostMoreThanEveryCopySavesLeaveNoThreshold) {
  const auto all = registrations(plan_with_registration(1e12));
  EXPECT_TRUE(all.at(0).rendezvous_cached_bytes.has_value());
  EXPECT_FALSE(all[0].rendezvous_cold_bytes.has_value());
}

TEST(Registrations, LeaveTheThresholdsOfTheRailAlone) {
  const Plan without = derive_plan(
      {},
      std::vector{planted::measure(
                      planted::infini(),
                      {.sizes_bytes = planted::grid(kSizeMax, true), .noise = planted::kNone}, 1)
                      .set},
      {});
  EXPECT_EQ(plan_with_registration(5000).rails.at(0).thresholds, without.rails.at(0).thresholds);
  EXPECT_TRUE(registrations(without).empty());
}

}  // namespace
}  // namespace nmt::tuner
