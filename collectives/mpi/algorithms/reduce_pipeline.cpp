// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/reduce_pipeline.h"

#include <algorithm>
#include <cstring>

namespace nmt::collectives {
namespace {

// The largest in the paper (Table 1): shared memory has slots for some segments of this size.
constexpr std::uint64_t kSegmentBytesMax = 1 << 20;

}  // namespace

Segmentation segmentation_of(const Reduction& reduction, const PipelineOptions& pipeline) {
  const std::uint64_t asked = pipeline.segment_bytes == 0
                                  ? kSegmentBytesMax
                                  : std::min(pipeline.segment_bytes, kSegmentBytesMax);
  const std::uint64_t elements = std::max<std::uint64_t>(1, asked / reduction.element_bytes);
  return {
      reduction.count * reduction.element_bytes,
      std::min(elements, std::max<std::uint64_t>(1, reduction.count)) * reduction.element_bytes};
}

std::vector<Span> SegmentRing::all() {
  std::vector<Span> places;
  for (std::uint64_t i = 0; i < segmentation_.segments(); ++i) places.push_back((*this)[i]);
  return places;
}

ReducePipeline::ReducePipeline(NodeHierarchy& hierarchy, const TreeNeighbors& neighbors,
                               GroupReduce& group, std::byte* result,
                               const Segmentation& segmentation, const Reduction& reduction)
    : group_(group),
      result_(result),
      segmentation_(segmentation),
      reduction_(reduction),
      parent_(neighbors.parent),
      rings_(neighbors.children.size(), SegmentRing(segmentation, kReceivesAhead + 1)),
      sums_(segmentation, neighbors.parent ? kSlots : 0),
      sender_(hierarchy, Stream::kTree) {
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    receivers_.emplace_back(hierarchy, rings_[i].all(), neighbors.children[i], Stream::kTree);
  }
}

void ReducePipeline::step() {
  const std::uint64_t i = next_++;
  sender_.finish(kSlots - 1);
  const Span sum =
      parent_ ? sums_[i] : Span(result_ + segmentation_.offset(i), segmentation_.bytes_of(i));
  const std::span<const std::byte> combined = group_.combined(i);
  if (combined.data() != sum.data()) std::memcpy(sum.data(), combined.data(), sum.size());
  group_.done(i);
  for (ReceivePipeline& receiver : receivers_) combine(receiver.next(), sum.data(), reduction_);
  if (parent_) sender_.send(sum, *parent_, segmentation_.segments() - next_);
}

void ReducePipeline::finish() { sender_.finish(); }

}  // namespace nmt::collectives
