// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of segments down the tree of leaders: received from the parent and sent on to the
// children at once (paper "HierKNEM", Algorithm 1).
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/algorithms/segment_pipeline.h"
#include "collectives/mpi/algorithms/tree_neighbors.h"

namespace nmt::collectives {

class BcastPipeline {
 public:
  // `data`: all bytes at the top; elsewhere the space for them.
  BcastPipeline(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors, std::byte* data,
                const Segmentation& segmentation);
  std::uint64_t passed() const { return passed_; }
  bool over() const { return over_; }
  // There is a next segment, and pass() would not wait for it; at the top it never waits.
  bool ready();
  // Receives the next segment and sends it to the children. If the parent has fewer bytes than
  // expected, the last segment comes earlier and may be shorter.
  Arrival pass();
  void finish();  // all sends are complete

 private:
  std::vector<int> children_;
  std::vector<Span> segments_;
  std::uint64_t passed_ = 0;
  bool over_;
  std::optional<ReceivePipeline> receiver_;
  SendPipeline sender_;
};

}  // namespace nmt::collectives
