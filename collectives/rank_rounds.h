// SPDX-License-Identifier: BSD-3-Clause
//
// In which order a rank exchanges its blocks with all others, where each block is a message of its
// own: node after node, so that each network card sends to one node at a time and receives from
// one.
//
// For each distance between nodes, and for each distance between members, a round: member m of
// group g sends to member m + j of group g + i, and receives from member m - j of group g - i,
// where members are counted as if all groups were as large as the largest one. What ranks of one
// node have for each other comes last. All ranks have equally many rounds, in which as many sends
// as receives match.
#pragma once

#include <cstddef>
#include <vector>

namespace nmt::collectives {

struct RankRound {
  static constexpr int kNobody = -1;
  int to = kNobody;
  int from = kNobody;
  bool operator==(const RankRound&) const = default;
};

// `groups`: the ranks of each, at least one.
std::vector<RankRound> rank_rounds(const std::vector<std::vector<int>>& groups, int rank);

}  // namespace nmt::collectives
