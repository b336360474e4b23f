// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of segments down the tree of leaders: from the parent, and on to the children at once
// (paper "HierKNEM", Algorithm 1).
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/segment_pipeline.h"
#include "collectives/mpi/tree_neighbors.h"

namespace nmt::collectives {

class BcastPipeline {
 public:
  // All of `data`, or room for it.
  BcastPipeline(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors, std::byte* data,
                const Segmentation& segmentation);
  std::uint64_t passed() const { return passed_; }
  bool over() const { return over_; }
  // There is a next one, and pass() would not wait for it; at the top it never does.
  bool ready();
  // The next, once it is here, is on its way to the children. Where the parent has less than there
  // is room for, the last comes sooner and may be shorter.
  Arrival pass();
  void finish();  // all have gone

 private:
  std::vector<int> children_;
  std::vector<Span> segments_;
  std::uint64_t passed_ = 0;
  bool over_;
  std::optional<ReceivePipeline> receiver_;
  SendPipeline sender_;
};

}  // namespace nmt::collectives
