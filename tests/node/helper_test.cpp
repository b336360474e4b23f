// SPDX-License-Identifier: BSD-3-Clause
#include "node/helper.h"

#include <gtest/gtest.h>

#include <thread>

#include "node/cores.h"

namespace nmt::node {
namespace {

struct Count final : Helper::Task {
  void run() noexcept override {
    ++runs;
    thread = std::this_thread::get_id();
  }
  int runs = 0;
  std::thread::id thread;
};

TEST(Helper, RunsEveryTaskOnceOnAThreadOfItsOwn) {
  for (const Helper::Rest rest : {Helper::Rest::kSleeps, Helper::Rest::kSpins}) {
    Helper helper(allowed_cores().back(), rest);
    Count count;
    for (int i = 1; i <= 200; ++i) {
      helper.start(count);
      while (!helper.idle()) std::this_thread::yield();
      ASSERT_EQ(count.runs, i);
    }
    EXPECT_NE(count.thread, std::this_thread::get_id());
  }
}

TEST(Helper, RunsATaskOrGivesItBack) {
  for (const Helper::Rest rest : {Helper::Rest::kSleeps, Helper::Rest::kSpins}) {
    Helper helper(allowed_cores().back(), rest);
    Count count;
    int taken_back = 0;
    for (int i = 1; i <= 200; ++i) {
      helper.start(count);
      if (i % 3 == 0) std::this_thread::yield();
      taken_back += helper.take_back();
      while (!helper.idle()) std::this_thread::yield();
      ASSERT_EQ(count.runs + taken_back, i);
      ASSERT_FALSE(helper.take_back());
    }
  }
}

TEST(Helper, EndsAfterTheTaskItWasGiven) {
  Count count;
  {
    Helper helper(allowed_cores().back());
    helper.start(count);
  }
  EXPECT_EQ(count.runs, 1);
}

TEST(Helper, WorksWithoutTheCoreItWasToBeOn) {
  Helper helper(1 << 20);
  Count count;
  helper.start(count);
  while (!helper.idle()) std::this_thread::yield();
  EXPECT_EQ(count.runs, 1);
}

}  // namespace
}  // namespace nmt::node
