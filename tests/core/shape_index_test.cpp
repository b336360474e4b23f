// SPDX-License-Identifier: BSD-3-Clause
#include "core/shape_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace nmt {
namespace {

constexpr std::uint32_t kMost = UINT32_MAX;

std::vector<std::uint32_t> found(const ShapeIndex& index, std::uint32_t nodes,
                                 std::uint32_t ranks_per_node) {
  std::vector<std::uint32_t> all;
  index.find(nodes, ranks_per_node, [&](std::uint32_t range) { all.push_back(range); });
  std::ranges::sort(all);
  return all;
}

TEST(ShapeIndex, FindsTheRangesThatALookAtEachFinds) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<ShapeRange> ranges(below(40));
    for (ShapeRange& range : ranges) {
      range.nodes = below(30);
      range.nodes_last = below(10) == 0 ? kMost : range.nodes + below(20);
      range.ranks_per_node = below(10);
      range.ranks_per_node_last = below(10) == 0 ? kMost : range.ranks_per_node + below(10);
    }
    const ShapeIndex index(ranges);
    for (const std::uint32_t nodes : {0u, 1u, 2u, 5u, 13u, 29u, 30u, 49u, 50u, kMost}) {
      for (const std::uint32_t ranks : {0u, 1u, 4u, 9u, 19u, 20u, kMost}) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < ranges.size(); ++i) {
          const ShapeRange& each = ranges[i];
          if (each.nodes <= nodes && nodes <= each.nodes_last && each.ranks_per_node <= ranks &&
              ranks <= each.ranks_per_node_last) {
            expected.push_back(i);
          }
        }
        EXPECT_EQ(found(index, nodes, ranks), expected) << nodes << " x " << ranks;
      }
    }
  }
}

TEST(ShapeIndex, OfNoRangesFindsNothing) {
  EXPECT_TRUE(found({}, 1, 1).empty());
  EXPECT_TRUE(found(ShapeIndex(std::vector<ShapeRange>()), 1, 1).empty());
}

}  // namespace
}  // namespace nmt
