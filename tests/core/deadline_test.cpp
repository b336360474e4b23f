// SPDX-License-Identifier: BSD-3-Clause
#include "core/deadline.h"

#include <gtest/gtest.h>

#include <limits>

namespace nmt {
namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;

void expect_far(const Deadline& deadline) {
  EXPECT_FALSE(deadline.passed());
  EXPECT_EQ(deadline.left_ms(), 60000);
}

TEST(Deadline, ForEverIsFar) {
  expect_far(Deadline(nanoseconds::max()));
  expect_far(Deadline(nanoseconds::max() - std::chrono::steady_clock::now().time_since_epoch()));
  expect_far(Deadline(nanoseconds::max() / 2));
}

TEST(Deadline, ForEverIsFarInWhateverUnits) {
  expect_far(Deadline(std::chrono::milliseconds::max()));
  expect_far(Deadline(std::chrono::hours::max()));
  expect_far(Deadline(duration<std::uint64_t, std::nano>(UINT64_MAX)));
  expect_far(Deadline(duration<double, std::nano>(1e30)));
  expect_far(Deadline(duration<double, std::nano>(std::numeric_limits<double>::infinity())));
}

TEST(Deadline, NowAndBeforeNowHasPassed) {
  for (const Deadline& deadline :
       {Deadline(nanoseconds(0)), Deadline(nanoseconds(-1)), Deadline(nanoseconds::min()),
        Deadline(std::chrono::hours::min()), Deadline(duration<double, std::nano>(-1e30))}) {
    EXPECT_TRUE(deadline.passed());
    EXPECT_EQ(deadline.left_ms(), 0);
  }
}

TEST(Deadline, PassesAtItsTimeAndNotBefore) {
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline(std::chrono::milliseconds(20));
  EXPECT_LE(deadline.left_ms(), 20);
  while (!deadline.passed()) EXPECT_GE(deadline.left_ms(), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace nmt
