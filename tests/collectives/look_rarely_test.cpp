// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/look_rarely.h"

#include <gtest/gtest.h>

#include <vector>

namespace nmt::collectives {
namespace {

TEST(LookRarely, LeavesTwiceAsManyCallsEachTimeUpToALimit) {
  LookRarely calls;
  std::vector<int> looked_at;
  for (int call = 0; call < 300; ++call) {
    if (!calls.looks()) continue;
    looked_at.push_back(call);
    calls.found(false);
  }
  EXPECT_EQ(looked_at, (std::vector<int>{0, 2, 5, 10, 19, 36, 69, 134, 199, 264}));
}

TEST(LookRarely, LooksAtEachCallWhileTheyAreReplaced) {
  LookRarely calls;
  for (int call = 0; call < 100; ++call) {
    ASSERT_TRUE(calls.looks());
    calls.found(call != 50);
    if (call == 50) {
      EXPECT_FALSE(calls.looks());
    }
  }
}

}  // namespace
}  // namespace nmt::collectives
