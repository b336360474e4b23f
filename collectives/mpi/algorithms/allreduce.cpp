// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/bcast_pipeline.h"
#include "collectives/mpi/algorithms/intra_node_bcast.h"
#include "collectives/mpi/algorithms/recursive_doubling.h"
#include "collectives/mpi/algorithms/reduce_pipeline.h"
#include "collectives/mpi/algorithms/ring_pipeline.h"

namespace nmt::collectives {
namespace {

// Runs until the group has combined everything. Segments that come down are passed on without
// waiting: a wait could block what still has to go up.
void reduce_to_root(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors, GroupReduce& group,
                    std::byte* result, const Segmentation& segmentation, const Reduction& reduction,
                    BcastPipeline& bcast_pipeline) {
  ReducePipeline reduce_pipeline(hierarchy, neighbors, group, result, segmentation, reduction);
  for (std::uint64_t i = 0; i < segmentation.segments(); ++i) {
    reduce_pipeline.step();
    if (!neighbors.parent) {
      bcast_pipeline.pass();
    } else {
      while (bcast_pipeline.ready()) bcast_pipeline.pass();
    }
  }
  reduce_pipeline.finish();
}

void lead(NodeHierarchy& hierarchy, GroupReduce& group, std::byte* result,
          const Segmentation& segmentation, const Reduction& reduction,
          const TreeNeighbors& neighbors) {
  BcastPipeline bcast_pipeline(hierarchy, neighbors, result, segmentation);
  reduce_to_root(hierarchy, neighbors, group, result, segmentation, reduction, bcast_pipeline);
  group.finish();
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  if (shared_memory != nullptr) shared_memory->begin();
  IntraNodeBcastRoot to_node(hierarchy, shared_memory, result);
  for (std::uint64_t i = 0; i < segmentation.segments(); ++i) {
    if (i == bcast_pipeline.passed()) bcast_pipeline.pass();
    to_node.publish(segmentation.segment_at(i), segmentation.segments() - 1 - i);
  }
  bcast_pipeline.finish();
  to_node.finish();
}

// `order` is that in which results come.
void follow(NodeHierarchy& hierarchy, GroupReduce& group, std::byte* result,
            const Segmentation& order, int leader) {
  group.work();
  group.finish();
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  if (shared_memory != nullptr) shared_memory->begin();
  IntraNodeBcastLeaf from_leader(hierarchy, shared_memory, leader, result);
  from_leader.take_all(order);
  from_leader.finish();
}

void allreduce_by_tree(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
                       const Reduction& reduction, const PipelineOptions& pipeline) {
  const Segmentation segmentation = segmentation_of(reduction, pipeline);
  const int root = hierarchy.groups().front().leader;
  const int leader = hierarchy.leader_of(hierarchy.group_of(hierarchy.rank()), root);
  const std::unique_ptr<GroupReduce> group =
      GroupReduce::make(hierarchy, own, reduction, segmentation, leader);
  if (leader == hierarchy.rank()) {
    lead(hierarchy, *group, result, segmentation, reduction,
         tree_neighbors_of(hierarchy, root, pipeline.shape));
  } else {
    follow(hierarchy, *group, result, segmentation, leader);
  }
}

// The results of the part before this group's are complete first.
void lead_in_ring(NodeHierarchy& hierarchy, GroupReduce& group, std::byte* result,
                  const RingParts& parts, const Segmentation& order, const Reduction& reduction) {
  RingPipeline ring(hierarchy, -1, group, parts, result, true, reduction);
  std::uint64_t complete = 0;
  while (!ring.has_reduced()) {
    complete += ring.next_is_complete() ? 1 : 0;
    ring.next();
  }
  group.finish();
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  if (shared_memory != nullptr) shared_memory->begin();
  IntraNodeBcastRoot to_node(hierarchy, shared_memory, result);
  for (std::uint64_t i = 0; i < order.segments(); ++i) {
    if (i >= complete) ring.next();
    to_node.publish(order.segment_at(i), order.segments() - 1 - i);
  }
  ring.finish();
  to_node.finish();
}

void allreduce_by_ring(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
                       const Reduction& reduction, std::uint64_t segment_bytes) {
  const std::size_t groups = hierarchy.groups().size();
  const auto number = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  const RingParts parts(reduction, groups, segment_bytes);
  const Segmentation order = parts.from((number + groups - 1) % groups);
  const int leader = hierarchy.own_group().leader;
  const std::unique_ptr<GroupReduce> group =
      GroupReduce::make(hierarchy, own, reduction, parts.from(number), leader);
  if (leader == hierarchy.rank()) {
    lead_in_ring(hierarchy, *group, result, parts, order, reduction);
  } else {
    follow(hierarchy, *group, result, order, leader);
  }
}

void allreduce_by_recursive_doubling(NodeHierarchy& hierarchy, const std::byte* own,
                                     std::byte* result, const Reduction& reduction) {
  const Span sums(result, reduction.count * reduction.element_bytes);
  const int leader = hierarchy.own_group().leader;
  const std::unique_ptr<GroupReduce> group =
      GroupReduce::make_short(hierarchy, own, reduction, leader);
  if (leader != hierarchy.rank()) {
    group->work();
    group->finish();
    if (take_short(hierarchy, leader, sums) != sums.size()) fail_on_different_counts();
    return;
  }
  const std::span<const std::byte> combined = group->combined(0);
  if (combined.data() != result) std::memcpy(result, combined.data(), combined.size());
  group->done(0);
  group->finish();
  combine_by_recursive_doubling(hierarchy, sums, reduction);
  show_short(hierarchy, sums);
}

}  // namespace

void allreduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
               const Reduction& reduction, const PipelineOptions& pipeline) {
  if (reduction.count == 0) return;
  hierarchy.create_shared_memory();
  if (pipeline.algorithm == LeaderAlgorithm::kRing && hierarchy.groups().size() > 1) {
    allreduce_by_ring(hierarchy, own, result, reduction, pipeline.segment_bytes);
  } else if (pipeline.algorithm == LeaderAlgorithm::kRecursiveDoubling &&
             GroupReduce::is_short(reduction)) {
    allreduce_by_recursive_doubling(hierarchy, own, result, reduction);
  } else {
    allreduce_by_tree(hierarchy, own, result, reduction, pipeline);
  }
}

}  // namespace nmt::collectives
