// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/reduce_pipeline.h"
#include "collectives/mpi/algorithms/ring_pipeline.h"

namespace nmt::collectives {
namespace {

void reduce_by_tree(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
                    const Reduction& reduction, int root, const PipelineOptions& pipeline) {
  const bool is_short =
      pipeline.algorithm == LeaderAlgorithm::kInline && GroupReduce::is_short(reduction);
  const Segmentation segmentation =
      segmentation_of(reduction, is_short ? PipelineOptions{} : pipeline);
  const int leader = hierarchy.leader_of(hierarchy.group_of(hierarchy.rank()), root);
  const std::unique_ptr<GroupReduce> group =
      is_short ? GroupReduce::make_short(hierarchy, own, reduction, leader)
               : GroupReduce::make(hierarchy, own, reduction, segmentation, leader);
  if (leader == hierarchy.rank()) {
    ReducePipeline reduce_pipeline(hierarchy, tree_neighbors_of(hierarchy, root, pipeline.shape),
                                   *group, result, segmentation, reduction);
    for (std::uint64_t i = 0; i < segmentation.segments(); ++i) reduce_pipeline.step();
    reduce_pipeline.finish();
  } else {
    group->work();
  }
  group->finish();
}

// The root receives the parts that are complete at other leaders: one segment of each in turn.
void gather_parts(NodeHierarchy& hierarchy, std::byte* result, const RingParts& parts) {
  const auto number = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  std::vector<ReceivePipeline> receivers;
  std::vector<std::uint64_t> left;
  for (std::size_t i = 0; i + 1 < parts.parts(); ++i) {
    const std::size_t part = (number + i) % parts.parts();
    const Segmentation from = parts.from(part);
    std::vector<Span> places;
    for (std::uint64_t segment = 0; segment < parts.segments_of(part); ++segment) {
      places.emplace_back(result + from.offset(segment), from.bytes_of(segment));
    }
    const std::size_t sender = (part + 1) % parts.parts();
    left.push_back(places.size());
    receivers.emplace_back(hierarchy, places, hierarchy.groups()[sender].leader, Stream::kGather);
  }
  for (std::uint64_t segment = 0; segment < parts.segments_each(); ++segment) {
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      if (segment < left[i]) receivers[i].next();
    }
  }
}

// The root receives complete parts only after everything that comes around the ring, because a
// leader sends it one stream at a time.
void lead_in_ring(NodeHierarchy& hierarchy, GroupReduce& group, std::byte* result,
                  const RingParts& parts, const Reduction& reduction, int root) {
  const bool is_root = hierarchy.rank() == root;
  RingPipeline ring(hierarchy, root, group, parts, is_root ? result : nullptr, false, reduction);
  SendPipeline sender(hierarchy, Stream::kGather);
  const auto number = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  std::uint64_t left = parts.segments_of((number + parts.parts() - 1) % parts.parts());
  while (!ring.has_reduced()) {
    const bool is_complete = ring.next_is_complete();
    const Span sum = ring.next();
    if (is_complete && !is_root) sender.send(sum, root, --left);
  }
  ring.finish();
  if (is_root) gather_parts(hierarchy, result, parts);
  sender.finish();
}

void reduce_by_ring(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
                    const Reduction& reduction, int root, std::uint64_t segment_bytes) {
  const int number = hierarchy.group_of(hierarchy.rank());
  const int leader = hierarchy.leader_of(number, root);
  const RingParts parts(reduction, hierarchy.groups().size(), segment_bytes);
  const std::unique_ptr<GroupReduce> group = GroupReduce::make(
      hierarchy, own, reduction, parts.from(static_cast<std::size_t>(number)), leader);
  if (leader == hierarchy.rank()) {
    lead_in_ring(hierarchy, *group, result, parts, reduction, root);
  } else {
    group->work();
  }
  group->finish();
}

}  // namespace

void reduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
            const Reduction& reduction, int root, const PipelineOptions& pipeline) {
  if (reduction.count == 0) return;
  hierarchy.create_shared_memory();
  if (pipeline.algorithm == LeaderAlgorithm::kRing && hierarchy.groups().size() > 1) {
    reduce_by_ring(hierarchy, own, result, reduction, root, pipeline.segment_bytes);
  } else {
    reduce_by_tree(hierarchy, own, result, reduction, root, pipeline);
  }
}

}  // namespace nmt::collectives
