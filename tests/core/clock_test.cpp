// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <regex>

namespace nmt {
namespace {

TEST(RealClock, NeverGoesBack) {
  const RealClock clock;
  std::uint64_t last = clock.now_ns();
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t now = clock.now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(RealClock, KeepsStepWithTheKernelsClock) {
  const RealClock clock;
  const auto kernel_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
  };
  // The start is read between two readings of ours, and so is the end: whatever preempts us in
  // between widens the bracket, so that a busy machine cannot fail a right clock.
  const std::uint64_t start_before = clock.now_ns();
  const double kernel_start = kernel_ns();
  const std::uint64_t start_after = clock.now_ns();
  while (kernel_ns() - kernel_start < 50e6) {
  }
  const std::uint64_t end_before = clock.now_ns();
  const double kernel_end = kernel_ns();
  const std::uint64_t end_after = clock.now_ns();
  const double elapsed_ns = kernel_end - kernel_start;
  EXPECT_GE(elapsed_ns * 1.001, static_cast<double>(end_before - start_after));
  EXPECT_LE(elapsed_ns * 0.999, static_cast<double>(end_after - start_before));
}

TEST(RealClock, KnowsItsOwnCost) {
  const RealClock clock;
  EXPECT_GT(clock.cost_ns(), 0);
  EXPECT_LT(clock.cost_ns(), 1e5);
  EXPECT_GE(clock.resolution_ns(), 1);
  EXPECT_TRUE(clock.name() == "tsc" || clock.name() == "clock_gettime") << clock.name();
}

TEST(VirtualClock, MovesOnlyForwardAndOnlyWhenTold) {
  VirtualClock clock;
  EXPECT_EQ(clock.now_ns(), 0u);
  clock.advance_to(100);
  EXPECT_EQ(clock.now_ns(), 100u);
  clock.advance_to(50);
  EXPECT_EQ(clock.now_ns(), 100u);
}

TEST(UtcNow, HasTheFormOfRecords) {
  EXPECT_TRUE(std::regex_match(utc_now(),
                               std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")));
}

}  // namespace
}  // namespace nmt
