// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nmt::collectives {
namespace {

class Trees : public ::testing::TestWithParam<TreeShape> {};

int depth(TreeShape shape, int place, int places) {
  const int parent = tree_position_at(shape, place, places).parent;
  return parent < 0 ? 0 : 1 + depth(shape, parent, places);
}

TEST_P(Trees, ReachEveryPlaceOnceFromPlaceZero) {
  for (int places = 1; places <= 40; ++places) {
    std::vector<int> reached;
    for (int place = 0; place < places; ++place) {
      const TreePosition position = tree_position_at(GetParam(), place, places);
      EXPECT_EQ(position.parent < 0, place == 0);
      EXPECT_LE(depth(GetParam(), place, places), places);
      for (const int child : position.children) {
        reached.push_back(child);
        EXPECT_EQ(tree_position_at(GetParam(), child, places).parent, place);
      }
    }
    std::ranges::sort(reached);
    ASSERT_EQ(reached.size(), static_cast<std::size_t>(places - 1));
    for (int place = 1; place < places; ++place) {
      EXPECT_EQ(reached[static_cast<std::size_t>(place - 1)], place);
    }
  }
}

TEST(Tree, IsAsHighAsItsNameSays) {
  EXPECT_EQ(depth(TreeShape::kChain, 31, 32), 31);
  EXPECT_EQ(depth(TreeShape::kBinary, 30, 32), 4);
  EXPECT_EQ(depth(TreeShape::kBinomial, 31, 32), 5);
  EXPECT_THAT(tree_position_at(TreeShape::kBinomial, 0, 8).children,
              ::testing::ElementsAre(4, 2, 1));
}

TEST(Tree, IsNamed) {
  EXPECT_EQ(to_string(TreeShape::kBinomial), "binomial");
  EXPECT_EQ(parse_tree_shape("chain"), TreeShape::kChain);
  EXPECT_EQ(parse_tree_shape("star"), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Trees,
                         ::testing::Values(TreeShape::kChain, TreeShape::kBinary,
                                           TreeShape::kBinomial),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace nmt::collectives
