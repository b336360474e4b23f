// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/relay.h"
#include "collectives/mpi/spread.h"

namespace nmt::collectives {
namespace {

std::vector<Span> places_of(const Cut& cut, std::byte* data) {
  std::vector<Span> places;
  for (std::uint64_t i = 0; i < cut.segments(); ++i) {
    places.emplace_back(data + cut.offset(i), cut.bytes_of(i));
  }
  return places;
}

void lead(Team& team, Room* room, std::byte* data, const Cut& cut, int root, Shape shape) {
  const int groups = static_cast<int>(team.groups().size());
  const int first = team.group_of(root);
  const auto leader_at = [&](int place) { return team.leader_of((first + place) % groups, root); };
  const int place = (team.group_of(team.rank()) - first + groups) % groups;
  const Branch branch = branch_at(shape, place, groups);
  const std::vector<Span> segments = places_of(cut, data);

  Spread spread(team, room, data);
  Outflow outflow(team, kTreeTag);
  std::optional<Inflow> inflow;
  if (place > 0) inflow.emplace(team, segments, leader_at(branch.parent), kTreeTag);
  const bool at_once = place == 0 && room != nullptr && room->all_can_read();
  if (at_once) spread.there({0, cut.bytes()});
  for (const Span& segment : segments) {
    if (inflow) inflow->next();
    for (const int child : branch.children) outflow.send(segment, leader_at(child));
    if (!at_once) {
      spread.there({static_cast<std::uint64_t>(segment.data() - data), segment.size()});
    }
  }
  outflow.finish();
  spread.finish();
}

void follow(Team& team, Room* room, std::byte* data, const Cut& cut, int leader) {
  Share share(team, room, leader, data);
  for (std::uint64_t i = 0; i < cut.segments(); ++i) share.take({cut.offset(i), cut.bytes_of(i)});
  share.finish();
}

}  // namespace

void bcast(Team& team, std::byte* data, std::uint64_t bytes, int root, const Pipeline& pipeline) {
  team.furnish();
  Room* room = team.room();
  if (room != nullptr) room->begin();
  const int leader = team.leader_of(team.group_of(team.rank()), root);
  const bool in_one_copy = leader == root && room != nullptr && room->all_can_read();
  const Cut cut(bytes, in_one_copy && team.rank() != root ? 0 : pipeline.segment_bytes);
  if (leader == team.rank()) {
    lead(team, room, data, cut, root, pipeline.shape);
  } else {
    follow(team, room, data, cut, leader);
  }
}

}  // namespace nmt::collectives
