// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"

namespace nmt::collectives {
namespace {

std::byte none{};  // what messages without data point to

void tell(NodeHierarchy& hierarchy, Stream stream, const std::vector<int>& ranks) {
  SendPipeline sender(hierarchy, stream);
  for (const int rank : ranks) sender.send(Span(&none, 0), rank, 0);
  sender.finish();
}

void hear(NodeHierarchy& hierarchy, Stream stream, const std::vector<int>& ranks) {
  for (const int rank : ranks) ReceivePipeline(hierarchy, {Span(&none, 0)}, rank, stream).next();
}

// In round 1, 2, 3 ... a leader hears from the leader 1, 2, 4 ... places before it. That one has
// already heard from groups before its own, so in each round the leader knows of twice as many
// groups that all of their ranks have come.
void meet_leaders(NodeHierarchy& hierarchy) {
  const std::vector<Group>& groups = hierarchy.groups();
  const auto own = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  SendPipeline sender(hierarchy, Stream::kRing);
  for (std::size_t distance = 1; distance < groups.size(); distance *= 2) {
    sender.send(Span(&none, 0), groups[(own + distance) % groups.size()].leader, 0);
    hear(hierarchy, Stream::kRing,
         {groups[(own + groups.size() - distance) % groups.size()].leader});
  }
  sender.finish();
}

void by_shared_memory(NodeHierarchy& hierarchy, NodeSharedMemory& shared_memory, int leader) {
  shared_memory.begin();
  if (hierarchy.rank() != leader) {
    shared_memory.put(1);
    return shared_memory.wait_for_put(hierarchy.member(leader), 1, hierarchy.waiting());
  }
  for (int member = 0; member < shared_memory.members(); ++member) {
    if (member != shared_memory.self()) {
      shared_memory.wait_for_put(member, 1, hierarchy.waiting());
    }
  }
  meet_leaders(hierarchy);
  shared_memory.put(1);
}

void by_messages(NodeHierarchy& hierarchy, int leader) {
  if (hierarchy.rank() != leader) {
    tell(hierarchy, Stream::kGather, {leader});
    return hear(hierarchy, Stream::kSpread, {leader});
  }
  std::vector<int> others = hierarchy.own_group().ranks;
  std::erase(others, leader);
  hear(hierarchy, Stream::kGather, others);
  meet_leaders(hierarchy);
  tell(hierarchy, Stream::kSpread, others);
}

}  // namespace

void barrier(NodeHierarchy& hierarchy) {
  if (hierarchy.size() == 1) return;
  hierarchy.create_shared_memory();
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  const int leader = hierarchy.own_group().leader;
  if (shared_memory == nullptr) return by_messages(hierarchy, leader);
  by_shared_memory(hierarchy, *shared_memory, leader);
}

}  // namespace nmt::collectives
