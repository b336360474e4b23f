// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/seat.h"

namespace nmt::collectives {

Seat seat_in(const Team& team, int root, Shape shape) {
  const int groups = static_cast<int>(team.groups().size());
  const int first = team.group_of(root);
  const auto leader_at = [&](int place) { return team.leader_of((first + place) % groups, root); };
  const int place = (team.group_of(team.rank()) - first + groups) % groups;
  const Branch branch = branch_at(shape, place, groups);
  Seat seat;
  if (place > 0) seat.parent = leader_at(branch.parent);
  for (const int child : branch.children) seat.children.push_back(leader_at(child));
  return seat;
}

}  // namespace nmt::collectives
