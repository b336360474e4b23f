// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/bcast_pipeline.h"
#include "collectives/mpi/algorithms/intra_node_bcast.h"

namespace nmt::collectives {
namespace {

BcastResult lead(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory, std::byte* data,
                 const Segmentation& segmentation, int root, TreeShape shape) {
  IntraNodeBcastRoot to_node(hierarchy, shared_memory, data);
  BcastPipeline bcast_pipeline(hierarchy, tree_neighbors_of(hierarchy, root, shape), data,
                               segmentation);
  const bool at_once =
      hierarchy.rank() == root && shared_memory != nullptr && shared_memory->all_can_read();
  std::uint64_t bytes = 0;
  while (!bcast_pipeline.over()) {
    const Arrival next = bcast_pipeline.pass();
    if (!at_once) to_node.publish({bytes, next.data.size()}, next.left);
    bytes += next.data.size();
  }
  if (at_once) to_node.publish({0, bytes}, 0);  // start sending on the wire first
  bcast_pipeline.finish();
  to_node.finish();
  return {.bytes = bytes};
}

BcastResult follow(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory, std::byte* data,
                   const Segmentation& segmentation, int leader) {
  IntraNodeBcastLeaf from_leader(hierarchy, shared_memory, leader, data);
  BcastResult result{.bytes = from_leader.take_all(segmentation)};
  result.has_more = from_leader.has_more();
  from_leader.finish();
  return result;
}

BcastResult bcast_short(NodeHierarchy& hierarchy, std::byte* data, std::uint64_t bytes, int root,
                        TreeShape shape) {
  const int leader = hierarchy.leader_of(hierarchy.group_of(hierarchy.rank()), root);
  if (leader != hierarchy.rank()) {
    const std::uint64_t sent = take_short(hierarchy, leader, {data, bytes});
    return {.bytes = std::min(sent, bytes), .has_more = sent > bytes};
  }
  BcastPipeline bcast_pipeline(hierarchy, tree_neighbors_of(hierarchy, root, shape), data,
                               Segmentation(bytes, 0));
  const Span whole = bcast_pipeline.pass().data;
  show_short(hierarchy, whole);
  bcast_pipeline.finish();
  return {.bytes = whole.size()};
}

BcastResult bcast_by_segments(NodeHierarchy& hierarchy, std::byte* data, std::uint64_t bytes,
                              int root, const PipelineOptions& pipeline) {
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  if (shared_memory != nullptr) shared_memory->begin();
  const int leader = hierarchy.leader_of(hierarchy.group_of(hierarchy.rank()), root);
  const bool in_one_copy =
      leader == root && shared_memory != nullptr && shared_memory->all_can_read();
  const Segmentation segmentation(
      bytes, in_one_copy && hierarchy.rank() != root ? 0 : pipeline.segment_bytes);
  return leader == hierarchy.rank()
             ? lead(hierarchy, shared_memory, data, segmentation, root, pipeline.shape)
             : follow(hierarchy, shared_memory, data, segmentation, leader);
}

}  // namespace

BcastResult bcast(NodeHierarchy& hierarchy, std::byte* data, std::uint64_t bytes, int root,
                  const PipelineOptions& pipeline) {
  hierarchy.create_shared_memory();
  const bool is_short = bytes > 0 && bytes <= NodeSharedMemory::kShortBytesMax;
  return pipeline.algorithm == LeaderAlgorithm::kInline && is_short
             ? bcast_short(hierarchy, data, bytes, root, pipeline.shape)
             : bcast_by_segments(hierarchy, data, bytes, root, pipeline);
}

}  // namespace nmt::collectives
