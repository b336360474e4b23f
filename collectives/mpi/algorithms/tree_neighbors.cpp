// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/tree_neighbors.h"

namespace nmt::collectives {

TreeNeighbors tree_neighbors_of(const NodeHierarchy& hierarchy, int root, TreeShape shape) {
  const int groups = static_cast<int>(hierarchy.groups().size());
  const int first = hierarchy.group_of(root);
  const auto leader_at = [&](int place) {
    return hierarchy.leader_of((first + place) % groups, root);
  };
  const int place = (hierarchy.group_of(hierarchy.rank()) - first + groups) % groups;
  const TreePosition position = tree_position_at(shape, place, groups);
  TreeNeighbors neighbors;
  if (place > 0) neighbors.parent = leader_at(position.parent);
  for (const int child : position.children) neighbors.children.push_back(leader_at(child));
  return neighbors;
}

}  // namespace nmt::collectives
