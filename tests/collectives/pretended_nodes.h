// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes that the ranks of one host pretend to be on, by rank. All `nodes` nodes have a rank, so
// `ranks` is at least as large.
#pragma once

#include <algorithm>
#include <vector>

namespace nmt::testing {

// One rank for each node, and again.
inline std::vector<int> nodes_by_turns(int ranks, int nodes) {
  std::vector<int> of;
  for (int rank = 0; rank < ranks; ++rank) of.push_back(rank % nodes);
  return of;
}

// Blocks of ranks that follow each other, of unequal sizes: those of the first nodes are larger.
inline std::vector<int> nodes_in_blocks(int ranks, int nodes) {
  std::vector<int> of;
  for (int rank = 0; rank < ranks; ++rank) {
    const int uneven = rank * rank * nodes / (ranks * ranks);
    const int one_each = nodes - (ranks - rank);  // of this rank and those that follow
    of.push_back(std::max(uneven, one_each));
  }
  return of;
}

}  // namespace nmt::testing
