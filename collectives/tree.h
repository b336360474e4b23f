// SPDX-License-Identifier: BSD-3-Clause
//
// Spanning trees over the leaders of groups, place 0 at the root: along which a Bcast goes down and
// a Reduce up.
//
// Of `n` places, a segment takes as many steps as the tree is high, and a leader sends it as often
// as it has children: a chain is the longest and keeps every link busy with one segment after the
// other, a binomial tree is the shortest for one segment.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nmt::collectives {

enum class TreeShape { kChain, kBinary, kBinomial };
std::string_view to_string(TreeShape shape);
std::optional<TreeShape> parse_tree_shape(std::string_view text);

struct TreePosition {
  int parent = -1;            // of place 0: none
  std::vector<int> children;  // the one with most below it first
};
TreePosition tree_position_at(TreeShape shape, int place, int places);

}  // namespace nmt::collectives
