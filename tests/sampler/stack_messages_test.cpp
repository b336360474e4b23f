// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "node/node.h"
#include "sampler/stack/rank_messages.h"

namespace nmt::sampler {
namespace {

constexpr std::uint64_t kColdMessages = 100;  // of a size, which touch the stack's buffers first
constexpr std::uint64_t kColdNs = 20'000, kWarmNs = 1000;

VirtualClock* clock_of_job = nullptr;
int own_rank = 0, far_core = 0;
std::map<std::uint64_t, std::uint64_t> received;  // messages, by size
std::vector<int> cores;                           // that the rank may use during a message

void receive(void*, std::uint64_t size_bytes, int) {
  cores = node::allowed_cores();
  const bool is_cold = ++received[size_bytes] <= kColdMessages;
  clock_of_job->advance_to(clock_of_job->now_ns() + (is_cold ? kColdNs : kWarmNs));
}

void take(void* bytes, std::uint64_t size_bytes, int) {
  if (size_bytes == sizeof far_core) std::memcpy(bytes, &far_core, sizeof far_core);
}

// One rank of two on one node; the other one answers at once.
LaunchRound round_of_rank(int rank) {
  static const nmt_mpi_table table = {
      .struct_bytes = sizeof(nmt_mpi_table),
      .rank = [] { return own_rank; },
      .size = [] { return 2; },
      .nodes = [](int* of_ranks) { of_ranks[0] = of_ranks[1] = 0; },
      .barrier = [](int) {},
      .send = [](const void*, uint64_t, int) {},
      .receive = receive,
      .post = [](const void*, uint64_t, int) {},
      .take = take,
  };
  far_core = node::nearest_cores().far;
  own_rank = rank;
  received.clear();
  VirtualClock clock;
  clock_of_job = &clock;
  return time_launch_round(control::MpiJob(table), {.sizes_bytes = {64, 4096, 131072}}, clock);
}

TEST(StackMessages, AreTimedWhenTheStackHasTouchedItsBuffers) {
  const LaunchRound timed = round_of_rank(0);
  ASSERT_EQ(timed.cells.size(), 3U);
  for (const LaunchRoundCell& cell : timed.cells) {
    EXPECT_EQ(cell.placement, kSameNode);
    ASSERT_EQ(cell.totals_ns.size(), 5U);
    const std::uint64_t round_trips = cell.batch / 2;
    for (const std::uint64_t total_ns : cell.totals_ns) {
      EXPECT_EQ(total_ns, round_trips * kWarmNs) << cell.size_bytes;
    }
    EXPECT_GT(round_trips * kWarmNs, 900'000U);  // long enough for what disturbs it
  }
  const std::size_t exchanges = node::allowed_cores().size() > 1 ? 4 : 0;
  EXPECT_EQ(timed.core_exchanges_ns.size(), exchanges);
}

TEST(StackMessages, RanksOfAPairStayOnTwoCores) {
  const std::vector<int> before = node::allowed_cores();
  round_of_rank(0);
  const std::vector<int> near = cores;
  round_of_rank(1);
  const std::vector<int> far = cores;
  EXPECT_EQ(near.size(), 1U);
  EXPECT_EQ(far.size(), 1U);
  EXPECT_EQ(near == far, before.size() == 1);
  EXPECT_EQ(node::allowed_cores(), before);
}

}  // namespace
}  // namespace nmt::sampler
