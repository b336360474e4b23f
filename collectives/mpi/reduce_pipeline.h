// SPDX-License-Identifier: BSD-3-Clause
//
// Segments up the tree of leaders, each combined with what the own group and the children have
// (paper "HierKNEM", Algorithm 2).
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/group_reduce.h"
#include "collectives/mpi/segment_pipeline.h"
#include "collectives/mpi/tree_neighbors.h"

namespace nmt::collectives {

// Whole elements, and not more than shared memory has slots for.
Segmentation segmentation_of(const Reduction& reduction, const PipelineOptions& pipeline);

// Places for segments one after the other, in a ring.
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
  // `result` is used at the top only.
  ReducePipeline(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors, GroupReduce& group,
                 std::byte* result, const Segmentation& segmentation, const Reduction& reduction);
  // The next segment: combined, and at the top in its place in the result, or on its way there.
  void step();
  void finish();  // all have gone

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
