// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/reduce_pipeline.h"

namespace nmt::collectives {

void reduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
            const Reduction& reduction, int root, const PipelineOptions& pipeline) {
  hierarchy.create_shared_memory();
  const Segmentation segmentation = segmentation_of(reduction, pipeline);
  const int leader = hierarchy.leader_of(hierarchy.group_of(hierarchy.rank()), root);
  const std::unique_ptr<GroupReduce> group =
      GroupReduce::make(hierarchy, own, reduction, segmentation, leader);
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

}  // namespace nmt::collectives
