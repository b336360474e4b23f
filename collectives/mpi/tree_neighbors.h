// SPDX-License-Identifier: BSD-3-Clause
//
// Where a leader sits in the tree of leaders (collectives/tree.h) that has the root of an operation
// at its top: whom it talks to, by rank.
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/node_hierarchy.h"
#include "collectives/tree.h"

namespace nmt::collectives {

struct TreeNeighbors {
  std::optional<int> parent;  // of the top: none
  std::vector<int> children;
};

// Of this rank, which leads its group in an operation of that root.
TreeNeighbors tree_neighbors_of(const NodeHierarchy& hierarchy, int root, TreeShape shape);

}  // namespace nmt::collectives
