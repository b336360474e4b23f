// SPDX-License-Identifier: BSD-3-Clause
#include "control/hang_alarm.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"

namespace nmt::control {
namespace {

void end_at_once(int code) { ::_exit(code + 100); }
void never_return(int) {
  for (;;) ::pause();
}

void wait_too_long(void (*abort)(int)) {
  const HangAlarm alarm(1e9, abort);
  ::sleep(30);
}

TEST(HangAlarmDeathTest, AbortsTheJobOfAProcessThatWaitsBeyondIt) {
  EXPECT_EXIT(wait_too_long(end_at_once),
              ::testing::ExitedWithCode(static_cast<int>(Fault::kPeer) + 100), "no longer answers");
}

TEST(HangAlarmDeathTest, EndsTheProcessWhereTheJobCannotBeAborted) {
  EXPECT_EXIT(wait_too_long(never_return),
              ::testing::ExitedWithCode(static_cast<int>(Fault::kPeer)), "no longer answers");
}

TEST(HangAlarm, LeavesAloneWhoIsThroughInTime) {
  { const HangAlarm alarm(1e9, never_return); }
  EXPECT_EQ(::sleep(2), 0u);
}

}  // namespace
}  // namespace nmt::control
