// SPDX-License-Identifier: BSD-3-Clause
#include "tests/collectives/pretended_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace nmt::testing {
namespace {

using ::testing::ElementsAre;

TEST(PretendedNodes, AreAsManyAsAskedFor) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    for (int nodes = 1; nodes <= ranks; ++nodes) {
      std::vector<int> all(static_cast<std::size_t>(nodes));
      std::iota(all.begin(), all.end(), 0);
      for (const auto& of : {nodes_by_turns(ranks, nodes), nodes_in_blocks(ranks, nodes)}) {
        EXPECT_EQ(of.size(), static_cast<std::size_t>(ranks));
        const std::set<int> used(of.begin(), of.end());
        EXPECT_EQ(std::vector<int>(used.begin(), used.end()), all) << ranks << " on " << nodes;
      }
      EXPECT_TRUE(std::ranges::is_sorted(nodes_in_blocks(ranks, nodes)));
    }
  }
}

TEST(PretendedNodes, InBlocksAreUnequal) {
  EXPECT_THAT(nodes_in_blocks(3, 2), ElementsAre(0, 0, 1));
  EXPECT_THAT(nodes_in_blocks(6, 2), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_THAT(nodes_in_blocks(6, 3), ElementsAre(0, 0, 0, 0, 1, 2));
}

}  // namespace
}  // namespace nmt::testing
