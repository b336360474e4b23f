// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/ascent.h"

#include <algorithm>
#include <cstring>

namespace nmt::collectives {
namespace {

// The largest of the paper's (Table 1): slots for some of them lie in shared memory.
constexpr std::uint64_t kSegmentBytesMax = 1 << 20;

}  // namespace

Cut cut_of(const Reduction& reduction, const Pipeline& pipeline) {
  const std::uint64_t asked = pipeline.segment_bytes == 0
                                  ? kSegmentBytesMax
                                  : std::min(pipeline.segment_bytes, kSegmentBytesMax);
  const std::uint64_t elements = std::max<std::uint64_t>(1, asked / reduction.element_bytes);
  return {
      reduction.count * reduction.element_bytes,
      std::min(elements, std::max<std::uint64_t>(1, reduction.count)) * reduction.element_bytes};
}

std::vector<Span> Ring::all() {
  std::vector<Span> places;
  for (std::uint64_t i = 0; i < cut_.segments(); ++i) places.push_back((*this)[i]);
  return places;
}

Ascent::Ascent(Team& team, const Seat& seat, GroupReduce& group, std::byte* result, const Cut& cut,
               const Reduction& reduction)
    : group_(group),
      result_(result),
      cut_(cut),
      reduction_(reduction),
      parent_(seat.parent),
      rings_(seat.children.size(), Ring(cut, kAsked + 1)),
      sums_(cut, seat.parent ? kSlots : 0),
      outflow_(team, Stream::kTree) {
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    inflows_.emplace_back(team, rings_[i].all(), seat.children[i], Stream::kTree);
  }
}

void Ascent::step() {
  const std::uint64_t i = next_++;
  outflow_.finish(kSlots - 1);
  const Span sum = parent_ ? sums_[i] : Span(result_ + cut_.offset(i), cut_.bytes_of(i));
  const std::span<const std::byte> combined = group_.combined(i);
  if (combined.data() != sum.data()) std::memcpy(sum.data(), combined.data(), sum.size());
  group_.done(i);
  for (Inflow& inflow : inflows_) combine(inflow.next(), sum.data(), reduction_);
  if (parent_) outflow_.send(sum, *parent_, cut_.segments() - next_);
}

void Ascent::finish() { outflow_.finish(); }

}  // namespace nmt::collectives
