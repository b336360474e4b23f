// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/block_ranges.h"
#include "collectives/mpi/algorithms/exchange_messages.h"
#include "collectives/mpi/algorithms/group_reduce.h"
#include "collectives/mpi/algorithms/reduce_pipeline.h"
#include "collectives/mpi/hierarchy/message_memory.h"

namespace nmt::collectives {
namespace {

// Receives what another group has for this one, and adds it to the totals.
void add_received(NodeHierarchy& hierarchy, const std::vector<Segment>& segments, int from,
                  std::byte* totals, const Reduction& reduction) {
  constexpr std::size_t kPlaces = kReceivesAhead + 1;
  std::uint64_t most_bytes = 0;
  for (const Segment& segment : segments) most_bytes = std::max(most_bytes, segment.bytes);
  const MessageMemory memory(kPlaces * most_bytes);
  std::vector<Span> places;
  for (const Segment& segment : segments) {
    places.emplace_back(memory.data() + places.size() % kPlaces * most_bytes, segment.bytes);
  }
  ReceivePipeline receiver(hierarchy, places, from, Stream::kRing);
  for (const Segment& segment : segments) {
    combine(receiver.next(), totals, reduction);
    totals += segment.bytes;
  }
}

// In round r, a leader sends the data for the ranks of the group r places after its own, and
// receives data for its own ranks from the group r places before. So no card receives from two
// nodes at a time.
void exchange_sums(NodeHierarchy& hierarchy, const std::byte* sums, std::byte* totals,
                   const BlockRanges& blocks, std::uint64_t segment_bytes,
                   const Reduction& reduction) {
  const std::vector<Group>& groups = hierarchy.groups();
  const auto own = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  const std::vector<Segment> coming = blocks.segments_of(groups[own].ranks, segment_bytes);
  std::byte* place = totals;
  for (const Segment& segment : coming) {
    place = std::copy_n(sums + segment.offset, segment.bytes, place);
  }
  for (std::size_t round = 1; round < groups.size(); ++round) {
    const Group& to = groups[(own + round) % groups.size()];
    const Group& from = groups[(own + groups.size() - round) % groups.size()];
    const std::vector<Segment> going = blocks.segments_of(to.ranks, segment_bytes);
    SendPipeline sender(hierarchy, Stream::kRing);
    for (std::size_t i = 0; i < going.size(); ++i) {
      sender.send({sums + going[i].offset, going[i].bytes}, to.leader, going.size() - 1 - i);
    }
    add_received(hierarchy, coming, from.leader, totals, reduction);
    sender.finish();
  }
}

// From the leader, which has the blocks of all ranks of its group one after the other.
void take_own_block(NodeHierarchy& hierarchy, const std::byte* totals, std::byte* result,
                    const BlockRanges& blocks, std::uint64_t segment_bytes) {
  const Group& group = hierarchy.own_group();
  const auto ranks = static_cast<std::size_t>(hierarchy.size());
  RootedBlocks moved{
      .root = group.leader, .from_root = true, .bytes = std::vector<std::uint64_t>(ranks, 0)};
  std::vector<const std::byte*> places(ranks, nullptr);
  for (const int rank : group.ranks) {
    const std::uint64_t bytes = blocks.bytes(rank);
    if (rank == group.leader && hierarchy.rank() == rank) std::copy_n(totals, bytes, result);
    if (rank != group.leader) moved.bytes[static_cast<std::size_t>(rank)] = bytes;
    places[static_cast<std::size_t>(rank)] = totals;
    if (totals != nullptr) totals += bytes;
  }
  if (group.ranks.size() == 1) return;
  const NodeExchange exchange({group.ranks}, 0, moved, segment_bytes);
  if (exchange.steps() == 0) return;
  NodeSharedMemory* shared_memory =
      hierarchy.shared_memory_with_areas(SharedExchange::area_bytes(exchange));
  exchange_by_nodes(hierarchy, shared_memory, exchange, {.places = places.data()},
                    {.first = result}, group.leader);
}

}  // namespace

void reduce_scatter(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
                    const Reduction& reduction, std::span<const std::uint64_t> counts,
                    std::uint64_t segment_bytes) {
  if (reduction.count == 0) return;
  hierarchy.create_shared_memory();
  const BlockRanges blocks(counts, reduction.element_bytes);
  const Segmentation segmentation = segmentation_of(reduction, {.segment_bytes = segment_bytes});
  const Group& group = hierarchy.own_group();
  const std::unique_ptr<GroupReduce> reduces = GroupReduce::make(
      hierarchy, own, reduction, segmentation, group.leader, blocks.fingerprint());
  if (hierarchy.rank() != group.leader) {
    reduces->work();
    reduces->finish();
    return take_own_block(hierarchy, nullptr, result, blocks, segment_bytes);
  }
  const bool is_alone = group.ranks.size() == 1;
  const MessageMemory sums(is_alone ? 0 : segmentation.bytes());
  for (std::uint64_t i = 0; !is_alone && i < segmentation.segments(); ++i) {
    const std::span<const std::byte> combined = reduces->combined(i);
    std::memcpy(sums.data() + segmentation.offset(i), combined.data(), combined.size());
    reduces->done(i);
  }
  reduces->finish();
  std::uint64_t bytes = 0;
  for (const int rank : group.ranks) bytes += blocks.bytes(rank);
  const MessageMemory totals(bytes);
  exchange_sums(hierarchy, is_alone ? own : sums.data(), totals.data(), blocks, segmentation.each(),
                reduction);
  take_own_block(hierarchy, totals.data(), result, blocks, segment_bytes);
}

}  // namespace nmt::collectives
