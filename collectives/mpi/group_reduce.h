// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of a group have, combined segment by segment for their first leader, who takes no
// part in the work (paper "HierKNEM", Algorithm 2).
//
// The paper's second leader combines for all; here all ranks but the first leader share the work:
// each has a part of every segment, reads that part from the others and leaves the result in shared
// memory, in one of several slots, so that they are some segments ahead of the first leader. Where
// there is no shared memory, the second leader does it alone and by messages.
#pragma once

#include <cstddef>
#include <memory>

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/segment_pipeline.h"

namespace nmt::collectives {

inline constexpr std::size_t kSlots = 4;

// One operation's part of the group. Each segment of the cut holds whole elements.
class GroupReduce {
 public:
  virtual ~GroupReduce() = default;
  // The first leader's: the segment combined, once it is, until done().
  virtual std::span<const std::byte> combined(std::uint64_t segment) = 0;
  virtual void done(std::uint64_t segment) = 0;
  // The others': all of their work.
  virtual void work() = 0;
  virtual void finish() = 0;  // of all: nobody reads from this rank any more

  static std::unique_ptr<GroupReduce> make(NodeHierarchy& hierarchy, const std::byte* own,
                                           const Reduction& reduction,
                                           const Segmentation& segmentation, int leader);
};

void combine(std::span<const std::byte> from, std::byte* into, const Reduction& reduction);

}  // namespace nmt::collectives
