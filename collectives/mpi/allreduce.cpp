// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/ascent.h"
#include "collectives/mpi/descent.h"
#include "collectives/mpi/spread.h"

namespace nmt::collectives {
namespace {

// Until the group has combined everything. What comes down meanwhile is passed on, and nobody waits
// for it: it may need what is still to go up.
void climb(Team& team, const Seat& seat, GroupReduce& group, std::byte* result, const Cut& cut,
           const Reduction& reduction, Descent& descent) {
  Ascent ascent(team, seat, group, result, cut, reduction);
  for (std::uint64_t i = 0; i < cut.segments(); ++i) {
    ascent.step();
    if (!seat.parent) {
      descent.pass();
    } else {
      while (descent.ready()) descent.pass();
    }
  }
  ascent.finish();
}

void lead(Team& team, GroupReduce& group, std::byte* result, const Cut& cut,
          const Reduction& reduction, const Seat& seat) {
  Descent descent(team, seat, result, cut);
  climb(team, seat, group, result, cut, reduction, descent);
  group.finish();
  Room* room = team.room();
  if (room != nullptr) room->begin();
  Spread spread(team, room, result);
  for (std::uint64_t i = 0; i < cut.segments(); ++i) {
    if (i == descent.passed()) descent.pass();
    spread.there(cut.piece(i), cut.segments() - 1 - i);
  }
  descent.finish();
  spread.finish();
}

void follow(Team& team, GroupReduce& group, std::byte* result, const Cut& cut, int leader) {
  group.work();
  group.finish();
  Room* room = team.room();
  if (room != nullptr) room->begin();
  Share share(team, room, leader, result);
  share.take_all(cut);
  share.finish();
}

}  // namespace

void allreduce(Team& team, const std::byte* own, std::byte* result, const Reduction& reduction,
               const Pipeline& pipeline) {
  team.furnish();
  const Cut cut = cut_of(reduction, pipeline);
  const int root = team.groups().front().leader;
  const int leader = team.leader_of(team.group_of(team.rank()), root);
  const std::unique_ptr<GroupReduce> group = GroupReduce::make(team, own, reduction, cut, leader);
  if (leader == team.rank()) {
    lead(team, *group, result, cut, reduction, seat_in(team, root, pipeline.shape));
  } else {
    follow(team, *group, result, cut, leader);
  }
}

}  // namespace nmt::collectives
