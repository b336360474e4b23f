// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/waiting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace nmt::drivers {
namespace {

using std::chrono::microseconds;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Lt;

// Each look at the endpoints takes 1 us.
class WaitingTest : public ::testing::Test {
 protected:
  // One wait without news: how long it polls before it would sleep.
  microseconds polls_for() {
    bool sleeps = false;
    const Waiting::Clock::time_point start = time_;
    for (std::uint64_t look = 1; !sleeps; ++look) {
      time_ += microseconds(1);
      waiting_.rest(look, [&](std::vector<pollfd>&) {
        sleeps = true;
        return false;
      });
    }
    return std::chrono::duration_cast<microseconds>(time_ - start);
  }

  // News comes to this many waits, each time after 10 us.
  void receive(int times) {
    for (int i = 0; i < times; ++i) {
      waiting_.rest(1, [](std::vector<pollfd>&) { return false; });
      time_ += microseconds(10);
    }
  }

  void rest_for(microseconds time) { time_ += time; }

 private:
  static inline Waiting::Clock::time_point time_{std::chrono::hours(1)};
  Waiting waiting_{[] { return time_; }};
};

const auto kShort = AllOf(Ge(microseconds(20)), Lt(microseconds(30)));
const auto kLong = AllOf(Ge(microseconds(200)), Lt(microseconds(210)));

TEST_F(WaitingTest, SleepsSoonWhereNewsIsRare) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(polls_for(), kShort);
    rest_for(microseconds(300));
  }
}

TEST_F(WaitingTest, PollsForLongerWhileNewsIsFrequent) {
  receive(2);
  EXPECT_THAT(polls_for(), kLong);
  rest_for(microseconds(300));
  EXPECT_THAT(polls_for(), kShort);
}

TEST_F(WaitingTest, SleepsSoonAfterALongPollInVain) {
  receive(2);
  EXPECT_THAT(polls_for(), kLong);
  receive(1);
  for (int i = 0; i < 10; ++i) EXPECT_THAT(polls_for(), kShort);
  receive(20);
  EXPECT_THAT(polls_for(), kLong);
}

}  // namespace
}  // namespace nmt::drivers
