// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/counter.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace nmt::collectives {
namespace {

using std::chrono::milliseconds;

TEST(Counter, LetsThroughWhoNeedsNoMoreThanIsThere) {
  Counter counter;
  counter.wait_for(0, {});
  counter.raise_to(7);
  counter.wait_for(7, {});
  EXPECT_EQ(counter.value(), 7u);
}

TEST(Counter, LosesNobodyWhoFallsAsleep) {
  constexpr std::uint64_t kLast = 20000;
  for (const bool oversubscribed : {false, true}) {
    Counter counter, back;
    std::thread other([&] {
      for (std::uint64_t i = 1; i <= kLast; ++i) {
        counter.wait_for(i, {.oversubscribed = oversubscribed});
        back.add_one();
      }
    });
    for (std::uint64_t i = 1; i <= kLast; ++i) {
      counter.raise_to(i);
      back.wait_for(i, {.oversubscribed = oversubscribed});
    }
    other.join();
  }
}

TEST(Counter, WakesAllOfDifferentNeeds) {
  Counter counter, arrived;
  std::vector<std::thread> threads;
  for (std::uint64_t need = 1; need <= 8; ++need) {
    threads.emplace_back([&, need] {
      counter.wait_for(need * 10, {});
      EXPECT_GE(counter.value(), need * 10);
      arrived.add_one();
    });
  }
  for (std::uint64_t value = 1; value <= 80; ++value) counter.raise_to(value);
  arrived.wait_for(8, {});
  for (std::thread& thread : threads) thread.join();
}

// Else what another rank waits for may never be sent.
TEST(Counter, LetsTheMpiGoOnWhileItSleeps) {
  Counter counter;
  const WaitPolicy waiting{
      .make_progress = [](void* to) { static_cast<Counter*>(to)->raise_to(1); }, .mpi = &counter};
  counter.wait_for(1, waiting);
  EXPECT_EQ(counter.value(), 1u);
}

}  // namespace
}  // namespace nmt::collectives
