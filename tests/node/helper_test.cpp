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
  Helper helper(allowed_cores().back());
  Count count;
  for (int i = 1; i <= 1000; ++i) {
    helper.start(count);
    while (!helper.idle()) std::this_thread::yield();
    ASSERT_EQ(count.runs, i);
  }
  EXPECT_NE(count.thread, std::this_thread::get_id());
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
