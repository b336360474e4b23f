// SPDX-License-Identifier: BSD-3-Clause
//
// Segments up the tree of leaders, each combined with what the own group and the children have
// (paper "HierKNEM", Algorithm 2).
#pragma once

#include <optional>
#include <vector>

#include "collectives/mpi/group_reduce.h"
#include "collectives/mpi/relay.h"
#include "collectives/mpi/seat.h"

namespace nmt::collectives {

// Whole elements, and not more than shared memory has slots for.
Cut cut_of(const Reduction& reduction, const Pipeline& pipeline);

// Places for segments one after the other, in a ring.
class Ring {
 public:
  Ring(const Cut& cut, std::size_t slots) : cut_(cut), slots_(slots), memory_(slots * cut.each()) {}
  Span operator[](std::uint64_t segment) {
    return {memory_.data() + segment % slots_ * cut_.each(), cut_.bytes_of(segment)};
  }
  std::vector<Span> all();

 private:
  Cut cut_;
  std::size_t slots_;
  std::vector<std::byte> memory_;
};

class Ascent {
 public:
  // `result` is used at the top only.
  Ascent(Team& team, const Seat& seat, GroupReduce& group, std::byte* result, const Cut& cut,
         const Reduction& reduction);
  // The next segment: combined, and at the top in its place in the result, or on its way there.
  void step();
  void finish();  // all have gone

 private:
  GroupReduce& group_;
  std::byte* result_;
  Cut cut_;
  Reduction reduction_;
  std::optional<int> parent_;
  std::vector<Ring> rings_;  // from the children
  std::vector<Inflow> inflows_;
  Ring sums_;
  Outflow outflow_;
  std::uint64_t next_ = 0;
};

}  // namespace nmt::collectives
