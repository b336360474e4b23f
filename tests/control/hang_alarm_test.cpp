// SPDX-License-Identifier: BSD-3-Clause
#include "control/hang_alarm.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"

namespace nmt::control {
namespace {

TEST(HangAlarmDeathTest, EndsAProcessThatWaitsBeyondIt) {
  const auto wait = [] {
    const HangAlarm alarm(1e9);
    ::sleep(30);
  };
  EXPECT_EXIT(wait(), ::testing::ExitedWithCode(static_cast<int>(Fault::kPeer)),
              "does not answer any more");
}

TEST(HangAlarm, LeavesAloneWhoIsThroughInTime) {
  { const HangAlarm alarm(1e9); }
  EXPECT_EQ(::sleep(2), 0u);
}

}  // namespace
}  // namespace nmt::control
