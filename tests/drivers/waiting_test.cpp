// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/waiting.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace nmt::drivers {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// How long one wait without news polls before it would sleep.
Clock::duration polls_for(Waiting* waiting) {
  bool sleeps = false;
  const Clock::time_point start = Clock::now();
  for (std::uint64_t look = 1; !sleeps; ++look) {
    waiting->rest(look, [&](std::vector<pollfd>&) {
      sleeps = true;
      return false;
    });
  }
  return Clock::now() - start;
}

// Of 50 such waits, those that poll for 200 us, each after `before`. On busy cores some are late.
template <typename Before>
int long_polls(Before before) {
  Waiting waiting;
  int polls = 0;
  for (int i = 0; i < 50; ++i) {
    before(&waiting);
    const Clock::duration polled = polls_for(&waiting);
    EXPECT_GE(polled, microseconds(20));
    polls += polled >= microseconds(200);
  }
  return polls;
}

TEST(Waiting, PollsForLongerWhileNewsIsFrequent) {
  const auto news_at_once = [](Waiting* waiting) {
    waiting->rest(1, [](std::vector<pollfd>&) { return false; });
  };
  EXPECT_GT(long_polls(news_at_once), 25);
}

TEST(Waiting, SleepsSoonWhereNewsIsRare) {
  const auto none_for_long = [](Waiting*) { std::this_thread::sleep_for(milliseconds(1)); };
  EXPECT_LT(long_polls(none_for_long), 25);
}

}  // namespace
}  // namespace nmt::drivers
