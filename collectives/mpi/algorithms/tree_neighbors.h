// SPDX-License-Identifier: BSD-3-Clause
//
// The neighbours of a leader, by rank, in the tree of leaders (collectives/tree.h) whose top is the
// root of the operation.
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "collectives/tree.h"

namespace nmt::collectives {

struct TreeNeighbors {
  std::optional<int> parent;  // none for the top
  std::vector<int> children;
};

// For this rank, which must lead its group in an operation with this root.
TreeNeighbors tree_neighbors_of(const NodeHierarchy& hierarchy, int root, TreeShape shape);

}  // namespace nmt::collectives
