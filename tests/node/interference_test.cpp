// SPDX-License-Identifier: BSD-3-Clause
#include "node/interference.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "node/cores.h"

namespace nmt::node {
namespace {

TEST(InterferenceFiles, AreReadByTheirForm) {
  EXPECT_EQ(run_delay_ns("81230042 4118225 17\n"), 4118225u);
  EXPECT_EQ(pressure_ns("some avg10=0.63 avg60=0.75 avg300=0.54 total=5953732\nfull total=7\n"),
            5953732000u);
  const char* stat =
      "cpu  9 9 9 9 9 9 9 99 0 0\ncpu0 1102 0 807 90097 8 0 5 9 0 0\ncpu1 1 2 3 4 5 6 7 13 9 9\n";
  EXPECT_EQ(stolen_ticks(stat, 0), 9u);
  EXPECT_EQ(stolen_ticks(stat, 1), 13u);
}

TEST(InterferenceFiles, ReadAsNothingWhereTheyDoNotTell) {
  EXPECT_EQ(run_delay_ns(""), 0u);
  EXPECT_EQ(run_delay_ns("12"), 0u);
  EXPECT_EQ(run_delay_ns("a b c"), 0u);
  EXPECT_EQ(pressure_ns("full total=7"), 0u);
  EXPECT_EQ(pressure_ns("some total="), 0u);
  EXPECT_EQ(stolen_ticks("cpu  1 2 3\n", 0), 0u);
  EXPECT_EQ(stolen_ticks("cpu  1\ncpu0 1 2 3\ncpu1 1 2 3 4 5 6 7 8\n", 0), 0u);
}

TEST(InterferenceMeter, NeverRunsBackwards) {
  const InterferenceMeter meter(0, 0);
  const Interference first = meter.read();
  const Interference passed = meter.read().since(first);
  constexpr std::uint64_t kMinuteNs = 60'000'000'000;
  EXPECT_LT(passed.run_delay_ns, kMinuteNs);
  EXPECT_LT(passed.steal_ns, kMinuteNs);
  EXPECT_LT(passed.pressure_ns, kMinuteNs);
}

void spin(std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(InterferenceMeter, SeesANeighbourOnTheSameCore) {
  if (!std::ifstream("/proc/thread-self/schedstat")) GTEST_SKIP() << "no schedstat in this kernel";
  const int core = allowed_cores().back();
  const pid_t neighbour = ::fork();
  if (neighbour == 0) {
    pin_to(core);
    for (;;) {
    }
  }
  std::thread([&] {
    pin_to(core);
    const InterferenceMeter meter(core, core);
    const Interference before = meter.read();
    spin(std::chrono::milliseconds(300));
    const Interference seen = meter.read().since(before);
    EXPECT_GT(seen.run_delay_ns, 30'000'000u);
    EXPECT_GT(seen.involuntary_switches, 0u);
  }).join();
  ::kill(neighbour, SIGKILL);
  ::waitpid(neighbour, nullptr, 0);
}

}  // namespace
}  // namespace nmt::node
