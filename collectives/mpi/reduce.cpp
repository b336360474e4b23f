// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/ascent.h"

namespace nmt::collectives {

void reduce(Team& team, const std::byte* own, std::byte* result, const Reduction& reduction,
            int root, const Pipeline& pipeline) {
  team.furnish();
  const Cut cut = cut_of(reduction, pipeline);
  const int leader = team.leader_of(team.group_of(team.rank()), root);
  const std::unique_ptr<GroupReduce> group = GroupReduce::make(team, own, reduction, cut, leader);
  if (leader == team.rank()) {
    Ascent ascent(team, seat_in(team, root, pipeline.shape), *group, result, cut, reduction);
    for (std::uint64_t i = 0; i < cut.segments(); ++i) ascent.step();
    ascent.finish();
  } else {
    group->work();
  }
  group->finish();
}

}  // namespace nmt::collectives
