// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/rank_collectives.h"

#include <gtest/gtest.h>

namespace nmt::sampler {
namespace {

using Rounds = std::vector<std::uint64_t>;

TEST(StackCollectives, DropOnlyWhatLosesInEachRound) {
  EXPECT_FALSE(is_beaten({}, {}));
  EXPECT_FALSE(is_beaten({300}, {100}));  // once is chance
  EXPECT_TRUE(is_beaten({500}, {100}));   // unless it is hopeless
  EXPECT_TRUE(is_beaten({250, 260}, {100, 100}));
  EXPECT_FALSE(is_beaten({250, 150}, {100, 100}));
  EXPECT_FALSE(is_beaten({120, 120, 120}, {100, 100, 100}));
  EXPECT_TRUE(is_beaten({120, 120, 120, 120}, {100, 100, 100, 100}));
  EXPECT_FALSE(is_beaten({120, 120, 120, 99}, {100, 100, 100, 100}));
}

}  // namespace
}  // namespace nmt::sampler
