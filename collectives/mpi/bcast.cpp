// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/descent.h"
#include "collectives/mpi/spread.h"

namespace nmt::collectives {
namespace {

Came lead(Team& team, Room* room, std::byte* data, const Cut& cut, int root, Shape shape) {
  Spread spread(team, room, data);
  Descent descent(team, seat_in(team, root, shape), data, cut);
  const bool at_once = team.rank() == root && room != nullptr && room->all_can_read();
  std::uint64_t bytes = 0;
  while (!descent.over()) {
    const Arrival next = descent.pass();
    if (!at_once) spread.there({bytes, next.data.size()}, next.left);
    bytes += next.data.size();
  }
  if (at_once) spread.there({0, bytes}, 0);  // the wire first
  descent.finish();
  spread.finish();
  return {.bytes = bytes};
}

Came follow(Team& team, Room* room, std::byte* data, const Cut& cut, int leader) {
  Share share(team, room, leader, data);
  Came came{.bytes = share.take_all(cut)};
  came.has_more = share.has_more();
  share.finish();
  return came;
}

}  // namespace

Came bcast(Team& team, std::byte* data, std::uint64_t bytes, int root, const Pipeline& pipeline) {
  team.furnish();
  Room* room = team.room();
  if (room != nullptr) room->begin();
  const int leader = team.leader_of(team.group_of(team.rank()), root);
  const bool in_one_copy = leader == root && room != nullptr && room->all_can_read();
  const Cut cut(bytes, in_one_copy && team.rank() != root ? 0 : pipeline.segment_bytes);
  return leader == team.rank() ? lead(team, room, data, cut, root, pipeline.shape)
                               : follow(team, room, data, cut, leader);
}

}  // namespace nmt::collectives
