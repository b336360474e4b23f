// SPDX-License-Identifier: BSD-3-Clause
//
// Combines the data of a group's ranks, segment by segment, for their first leader, which takes no
// part in this work (paper "HierKNEM", Algorithm 2).
//
// In the paper the second leader combines for all. Here all ranks but the first leader share the
// work. Each handles a part of every segment: it reads that part from the others and stores the
// result in shared memory, in one of several slots, so that it can be some segments ahead of the
// first leader. Without shared memory, the second leader works alone, by messages.
//
// The order in which data is combined depends on the numbers of the ranks only, and never on which
// rank comes first. So results are the same at every call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"

namespace nmt::collectives {

inline constexpr std::size_t kSlots = 4;

// One rank's part of a group operation. Each segment has whole elements.
class GroupReduce {
 public:
  virtual ~GroupReduce() = default;
  // For the first leader: the combined segment, once it is ready; valid until done().
  virtual std::span<const std::byte> combined(std::uint64_t segment) = 0;
  virtual void done(std::uint64_t segment) = 0;
  // For the other ranks: all of their work.
  virtual void work() = 0;
  virtual void finish() = 0;  // for all ranks: returns when no rank reads from this one

  // `more`: another number that must be the same on all ranks of the group.
  static std::unique_ptr<GroupReduce> make(NodeHierarchy& hierarchy, const std::byte* own,
                                           const Reduction& reduction,
                                           const Segmentation& segmentation, int leader,
                                           std::uint64_t more = 0);
  // The same for a short message, as one segment: each rank puts its data into its slot of shared
  // memory, and the leader combines the data in rank order.
  static bool is_short(const Reduction& reduction) {
    return reduction.count * reduction.element_bytes <= NodeSharedMemory::kShortBytesMax;
  }
  static std::unique_ptr<GroupReduce> make_short(NodeHierarchy& hierarchy, const std::byte* own,
                                                 const Reduction& reduction, int leader);
};

void combine(std::span<const std::byte> from, std::byte* into, const Reduction& reduction);

}  // namespace nmt::collectives
