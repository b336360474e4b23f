// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/rank_collectives.h"

#include <gtest/gtest.h>

namespace nmt::sampler {
namespace {

using Rounds = std::vector<std::uint64_t>;

TEST(StackCollectives, DropOnlyWhatLosesInEachRound) {
  EXPECT_FALSE(is_beaten({}, {}));
  EXPECT_FALSE(is_beaten({200'000}, {100}));  // once is chance: a lost packet
  EXPECT_FALSE(is_beaten({200'000, 380}, {100, 100}));
  EXPECT_FALSE(is_beaten({200'000, 40'000}, {100, 100}));
  EXPECT_TRUE(is_beaten({250, 260, 230}, {100, 100, 100}));
  EXPECT_FALSE(is_beaten({250, 150}, {100, 100}));
  EXPECT_FALSE(is_beaten({140, 140, 140}, {100, 100, 100}));
  EXPECT_TRUE(is_beaten({140, 140, 140, 140}, {100, 100, 100, 100}));
  EXPECT_FALSE(is_beaten({140, 140, 140, 99}, {100, 100, 100, 100}));
  EXPECT_FALSE(is_beaten({120, 120, 120, 120}, {100, 100, 100, 100}));  // another job may differ
}

}  // namespace
}  // namespace nmt::sampler
