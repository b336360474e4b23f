// SPDX-License-Identifier: BSD-3-Clause
//
// Which limits a campaign tries after others have lost, by planted times of UCX, whose own limit is
// 8 KiB within a node and between two.
#include "tools/stack/limit_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nmt::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kOwnBytes = 8192;

// Eager at `byte_ns` for a byte, rendezvous at 20 us and half a nanosecond for a byte.
stacks::StackTimes times(std::uint64_t eager_bytes_max, double byte_ns) {
  stacks::StackTimes all;
  for (std::uint64_t bytes = 1024; bytes <= (1 << 18); bytes *= 2) {
    const double size = static_cast<double>(bytes);
    const double ns = bytes <= eager_bytes_max ? 1000 + byte_ns * size : 20000 + 0.5 * size;
    for (std::uint32_t round = 0; round < 7; ++round) all[bytes][round] = ns * (1 + round / 1e3);
  }
  return all;
}

class LimitCandidates : public ::testing::Test {
 protected:
  explicit LimitCandidates(std::string_view ucx_version = "1.13.1")
      : stack_(stacks::for_ucx_version(stacks::find_stack("ucx"), ucx_version)) {
    first_.timings.eager = {{std::string(sampler::kOtherNode), kOwnBytes},
                            {std::string(sampler::kSameNode), kOwnBytes}};
  }

  Fields limit(stacks::Transport transport, std::uint64_t bytes) const {
    return stack_.eager_up_to(transport, bytes, 0);
  }

  // Launches with each of these limits, and without.
  void measured(const std::string& rail, double byte_ns, const std::vector<Fields>& tried) {
    stacks::StackSamples samples{
        .campaign = {},
        .rail = rail,
        .placement = std::string(rail == "ucx/shm" ? sampler::kSameNode : sampler::kOtherNode),
        .mpi = "Open MPI v4.1.4",
        .version = "1.13.1",
        .times = {}};
    samples.times[{}] = times(kOwnBytes, byte_ns);
    for (const Fields& each : tried) {
      const std::uint64_t bytes =
          stacks::eager_bytes_under(stack_, stacks::Transport::kTcp, each.begin()->second, 0);
      samples.times[{.variant = stacks::to_variant(each)}] = times(bytes, byte_ns);
    }
    samples_.push_back(samples);
  }

  std::vector<Fields> nearer(const std::vector<Fields>& tried) const {
    return tools::LimitCandidates(stack_, first_, samples_).nearer(tried);
  }
  std::uint64_t bytes_of(const Fields& limit) const {
    return stacks::eager_bytes_under(stack_, stacks::Transport::kTcp, limit.begin()->second, 0);
  }

  stacks::Stack stack_;
  sampler::LaunchedRound first_;
  std::vector<stacks::StackSamples> samples_;
};

// Eager messages of 1 ns for a byte are slower from 38000 B on, those of 2 ns from 12667 B on.
TEST_F(LimitCandidates, OfATransportAreWhereTheTriedLimitBeginsToLose) {
  const std::vector<Fields> tried = {limit(stacks::Transport::kTcp, 1 << 17)};
  first_.timings.eager.pop_back();
  measured("ucx/tcp", 1, tried);
  const std::vector<Fields> found = nearer(tried);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_GE(bytes_of(found.front()), 32768U);
  EXPECT_LT(bytes_of(found.front()), 65536U);
}

TEST_F(LimitCandidates, OfTransportsThatShareASettingAreOneWhicheverLimitsLost) {
  const std::vector<Fields> tried = {limit(stacks::Transport::kTcp, 1 << 17),
                                     limit(stacks::Transport::kTcp, 1 << 16)};
  measured("ucx/tcp", 1, tried);
  measured("ucx/shm", 2, tried);
  const std::vector<Fields> found = nearer(tried);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_GT(bytes_of(found.front()), kOwnBytes);
  EXPECT_LT(bytes_of(found.front()), 65536U);
}

TEST_F(LimitCandidates, AreNoneWhereNothingLost) {
  const std::vector<Fields> better = {limit(stacks::Transport::kTcp, 1 << 15)};
  measured("ucx/tcp", 1, better);
  measured("ucx/shm", 1, better);
  EXPECT_THAT(nearer(better), IsEmpty());
}

TEST_F(LimitCandidates, AreNoneWhereTheStacksOwnLimitIsBest) {
  const std::vector<Fields> worse = {limit(stacks::Transport::kTcp, 1 << 17)};
  measured("ucx/tcp", 4, worse);
  measured("ucx/shm", 4, worse);
  EXPECT_THAT(nearer(worse), IsEmpty());
}

class LimitCandidatesOfTwoSettings : public LimitCandidates {
 protected:
  LimitCandidatesOfTwoSettings() : LimitCandidates("1.18.1") {}
};

TEST_F(LimitCandidatesOfTwoSettings, AreForTheOneThatLost) {
  const Fields inter = limit(stacks::Transport::kTcp, 1 << 15);
  const Fields intra = limit(stacks::Transport::kShm, 1 << 17);
  measured("ucx/tcp", 1, {inter});
  measured("ucx/shm", 1, {intra});
  const std::vector<Fields> found = nearer({inter, intra});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().begin()->first, intra.begin()->first);
  EXPECT_GE(bytes_of(found.front()), 32768U);
}

}  // namespace
}  // namespace nmt::testing
