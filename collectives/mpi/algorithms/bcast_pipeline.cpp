// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/bcast_pipeline.h"

namespace nmt::collectives {

BcastPipeline::BcastPipeline(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors,
                             std::byte* data, const Segmentation& segmentation)
    : children_(neighbors.children),
      over_(segmentation.segments() == 0),
      sender_(hierarchy, Stream::kTree) {
  for (std::uint64_t i = 0; i < segmentation.segments(); ++i) {
    segments_.emplace_back(data + segmentation.offset(i), segmentation.bytes_of(i));
  }
  if (neighbors.parent) receiver_.emplace(hierarchy, segments_, *neighbors.parent, Stream::kTree);
}

bool BcastPipeline::ready() { return !over_ && (!receiver_ || receiver_->ready()); }

Arrival BcastPipeline::pass() {
  if (over_) fail_on_different_counts();
  const Arrival next =
      receiver_ ? receiver_->next_or_end()
                : Arrival{.data = segments_[passed_], .left = segments_.size() - 1 - passed_};
  for (const int child : children_) sender_.send(next.data, child, next.left);
  ++passed_;
  over_ = next.left == 0;
  return next;
}

void BcastPipeline::finish() { sender_.finish(); }

}  // namespace nmt::collectives
