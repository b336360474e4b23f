// SPDX-License-Identifier: BSD-3-Clause
//
// Segments up the tree of leaders: each is combined with the data of the own group and of the
// children (paper "HierKNEM", Algorithm 2).
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/algorithms/group_reduce.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"
#include "collectives/mpi/algorithms/tree_neighbors.h"

namespace nmt::collectives {

// Segments of whole elements, no larger than shared memory has slots for.
Segmentation segmentation_of(const Reduction& reduction, const PipelineOptions& pipeline);

// Buffers for segments, reused in a ring.
class SegmentRing {
 public:
  SegmentRing(const Segmentation& segmentation, std::size_t slots)
      : segmentation_(segmentation), slots_(slots), memory_(slots * segmentation.each()) {}
  Span operator[](std::uint64_t segment) {
    return {memory_.data() + segment % slots_ * segmentation_.each(),
            segmentation_.bytes_of(segment)};
  }
  std::vector<Span> all();

 private:
  Segmentation segmentation_;
  std::size_t slots_;
  std::vector<std::byte> memory_;
};

class ReducePipeline {
 public:
  // `result` is only used at the top.
  ReducePipeline(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors, GroupReduce& group,
                 std::byte* result, const Segmentation& segmentation, const Reduction& reduction);
  // Combines the next segment. At the top it is stored in the result, elsewhere sent to the parent.
  void step();
  void finish();  // all sends are complete

 private:
  GroupReduce& group_;
  std::byte* result_;
  Segmentation segmentation_;
  Reduction reduction_;
  std::optional<int> parent_;
  std::vector<SegmentRing> rings_;  // from the children
  std::vector<ReceivePipeline> receivers_;
  SegmentRing sums_;
  SendPipeline sender_;
  std::uint64_t next_ = 0;
};

}  // namespace nmt::collectives
