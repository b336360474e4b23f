// SPDX-License-Identifier: BSD-3-Clause
//
// Spanning trees over the leaders of groups, with place 0 at the root: a Bcast goes down a tree and
// a Reduce up.
//
// A segment takes as many steps as the tree is high, and a leader sends it once per child. A chain
// is the longest tree and keeps every link busy with one segment after the other; a binomial tree
// is the fastest for one segment.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nmt::collectives {

enum class TreeShape { kChain, kBinary, kBinomial };
std::string_view to_string(TreeShape shape);
std::optional<TreeShape> parse_tree_shape(std::string_view text);

struct TreePosition {
  int parent = -1;            // -1 for place 0
  std::vector<int> children;  // the one with the largest subtree first
};
TreePosition tree_position_at(TreeShape shape, int place, int places);

}  // namespace nmt::collectives
