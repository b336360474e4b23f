// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/ring_pipeline.h"

#include <algorithm>
#include <cstring>

#include "collectives/mpi/algorithms/reduce_pipeline.h"

namespace nmt::collectives {
namespace {

std::uint64_t divide_up(std::uint64_t number, std::uint64_t by) { return (number + by - 1) / by; }

std::size_t number_of(const NodeHierarchy& hierarchy, std::size_t places_after) {
  return (static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank())) + places_after) %
         hierarchy.groups().size();
}

int leader_at(const NodeHierarchy& hierarchy, int root, std::size_t places_after) {
  return hierarchy.leader_of(static_cast<int>(number_of(hierarchy, places_after)), root);
}

}  // namespace

RingParts::RingParts(const Reduction& reduction, std::size_t parts, std::uint64_t segment_bytes)
    : parts_(parts), bytes_(reduction.count * reduction.element_bytes) {
  Reduction part = reduction;
  part.count = divide_up(reduction.count, parts);
  segments_each_ = segmentation_of(part, {.segment_bytes = segment_bytes}).segments();
  each_ = segments_each_ == 0 ? 0 : divide_up(part.count, segments_each_) * part.element_bytes;
}

std::uint64_t RingParts::begin(std::size_t part) const {
  const std::uint64_t all = bytes_ == 0 ? 0 : divide_up(bytes_, each_);
  return std::min(part * segments_each_, all);
}

Segmentation RingParts::from(std::size_t part) const {
  const Segmentation all(bytes_, each_);
  const std::uint64_t first = begin(part);
  return {bytes_, each_, first == all.segments() ? 0 : first};
}

// Positions in the stream count segments in the order from this leader's part on, and go on
// counting when the parts go around a second time. The leader receives all segments but those of
// its own part, and sends all but those of the part that is complete here.
RingPipeline::RingPipeline(NodeHierarchy& hierarchy, int root, GroupReduce& group,
                           const RingParts& parts, std::byte* result, bool gathers,
                           const Reduction& reduction)
    : group_(group),
      reduction_(reduction),
      order_(parts.from(number_of(hierarchy, 0))),
      result_(result),
      before_(leader_at(hierarchy, root, parts.parts() - 1)),
      after_(leader_at(hierarchy, root, 1)),
      segments_(parts.segments()),
      received_from_(parts.segments_of(number_of(hierarchy, 0))),
      complete_from_(segments_ - parts.segments_of(number_of(hierarchy, parts.parts() - 1))),
      end_(gathers ? segments_ + complete_from_ : segments_),
      sends_(gathers ? end_ - parts.segments_of(number_of(hierarchy, 2 * parts.parts() - 2))
                     : complete_from_),
      sends_ahead_(parts.segments_each() + kReceivesAhead - 1),
      slots_(std::min<std::uint64_t>(segments_, parts.segments_each() + 2 * kReceivesAhead)),
      memory_(slots_ * order_.each()),
      receiver_(hierarchy, places_to_receive(), after_, Stream::kRing),
      sender_(hierarchy, Stream::kRing) {}

// Of a segment that is not complete; of one that is, in the result.
Span RingPipeline::place(std::uint64_t position) const {
  const std::uint64_t segment = position % segments_;
  std::byte* const to = position < segments_ ? memory_.data() + position % slots_ * order_.each()
                                             : result_ + order_.offset(segment);
  return {to, order_.bytes_of(segment)};
}

// A segment that goes around a second time arrives in the result, where this rank's own data may be
// (in place). That does no harm: it cannot arrive before this leader has sent what its group has of
// that segment.
std::vector<Span> RingPipeline::places_to_receive() const {
  std::vector<Span> places;
  for (std::uint64_t i = received_from_; i < end_; ++i) places.push_back(place(i));
  return places;
}

// Before the next receive, the leader waits for sends out of the memory that this receive will use.
// So fewer may be under way where the last segments are not sent on. The next leader has already
// posted receives for these messages, however far it is. So leaders never wait for each other in a
// circle.
Span RingPipeline::next() {
  const std::uint64_t i = next_++;
  const std::uint64_t not_sent = i - std::min(i, sends_);
  sender_.finish(sends_ahead_ - std::min<std::uint64_t>(sends_ahead_, not_sent));
  Span sum = i < segments_ ? reduce(i) : receiver_.next();
  if (i < sends_) sender_.send(sum, before_, sends_ - 1 - i);
  return sum;
}

Span RingPipeline::reduce(std::uint64_t i) {
  const std::span<const std::byte> combined = group_.combined(i);
  Span sum;
  if (i < received_from_) {
    sum = place(i);
    std::memcpy(sum.data(), combined.data(), combined.size());
  } else {
    sum = receiver_.next();
    combine(combined, sum.data(), reduction_);
  }
  group_.done(i);
  if (i < complete_from_ || result_ == nullptr) return sum;
  std::memcpy(result_ + order_.offset(i), sum.data(), sum.size());
  return {result_ + order_.offset(i), sum.size()};
}

}  // namespace nmt::collectives
