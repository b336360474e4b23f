// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/group_reduce.h"
#include "collectives/mpi/relay.h"
#include "collectives/mpi/spread.h"

namespace nmt::collectives {
namespace {

// The largest of the paper's (Table 1): slots for some of them lie in shared memory.
constexpr std::uint64_t kSegmentBytesMax = 1 << 20;

// Whole elements.
Cut cut_of(const Reduction& reduction, const Pipeline& pipeline) {
  const std::uint64_t asked = pipeline.segment_bytes == 0
                                  ? kSegmentBytesMax
                                  : std::min(pipeline.segment_bytes, kSegmentBytesMax);
  const std::uint64_t elements = std::max<std::uint64_t>(1, asked / reduction.element_bytes);
  return {
      reduction.count * reduction.element_bytes,
      std::min(elements, std::max<std::uint64_t>(1, reduction.count)) * reduction.element_bytes};
}

// Places for segments one after the other, in a ring.
class Ring {
 public:
  Ring(const Cut& cut, std::size_t slots) : cut_(cut), slots_(slots), memory_(slots * cut.each()) {}
  Span operator[](std::uint64_t segment) {
    return {memory_.data() + segment % slots_ * cut_.each(), cut_.bytes_of(segment)};
  }
  std::vector<Span> all() {
    std::vector<Span> places;
    for (std::uint64_t i = 0; i < cut_.segments(); ++i) places.push_back((*this)[i]);
    return places;
  }

 private:
  Cut cut_;
  std::size_t slots_;
  std::vector<std::byte> memory_;
};

// Between leaders, up the tree.
void lead(Team& team, GroupReduce& group, std::byte* result, const Cut& cut,
          const Reduction& reduction, int root, Shape shape) {
  const int groups = static_cast<int>(team.groups().size());
  const int first = team.group_of(root);
  const auto leader_at = [&](int place) { return team.leader_of((first + place) % groups, root); };
  const int place = (team.group_of(team.rank()) - first + groups) % groups;
  const Branch branch = branch_at(shape, place, groups);

  std::vector<Ring> rings(branch.children.size(), Ring(cut, kAsked + 1));
  std::vector<Inflow> inflows;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    inflows.emplace_back(team, rings[i].all(), leader_at(branch.children[i]), kTreeTag);
  }
  Ring sums(cut, kSlots);
  Outflow outflow(team, kTreeTag);
  for (std::uint64_t i = 0; i < cut.segments(); ++i) {
    outflow.finish(kSlots - 1);
    const Span sum = place == 0 ? Span(result + cut.offset(i), cut.bytes_of(i)) : sums[i];
    const std::span<const std::byte> combined = group.combined(i);
    if (combined.data() != sum.data()) std::memcpy(sum.data(), combined.data(), sum.size());
    group.done(i);
    for (Inflow& inflow : inflows) combine(inflow.next(), sum.data(), reduction);
    if (place > 0) outflow.send(sum, leader_at(branch.parent));
  }
  outflow.finish();
}

}  // namespace

void reduce(Team& team, const std::byte* own, std::byte* result, const Reduction& reduction,
            int root, const Pipeline& pipeline) {
  team.furnish();
  const Cut cut = cut_of(reduction, pipeline);
  const int leader = team.leader_of(team.group_of(team.rank()), root);
  const std::unique_ptr<GroupReduce> group = GroupReduce::make(team, own, reduction, cut, leader);
  if (leader == team.rank()) {
    lead(team, *group, result, cut, reduction, root, pipeline.shape);
  } else {
    group->work();
  }
  group->finish();
}

void allreduce(Team& team, const std::byte* own, std::byte* result, const Reduction& reduction,
               const Pipeline& pipeline) {
  const int root = team.groups().front().leader;
  reduce(team, own, result, reduction, root, pipeline);
  bcast(team, result, reduction.count * reduction.element_bytes, root, pipeline);
}

}  // namespace nmt::collectives
