// SPDX-License-Identifier: BSD-3-Clause
//
// From a leader to the other ranks of its group, while the leader receives: each rank fetches ready
// data by itself (paper "HierKNEM", 3.2), or gets it as messages if they share no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/mpi/algorithms/segment_pipeline.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {

// A short message, of at most NodeSharedMemory::kShortBytesMax, from the leader to the other ranks
// of its node. The leader calls show_short(), the others take_short(). It goes through the leader's
// slot of shared memory or, where there is none, by messages. take_short() copies as many bytes as
// fit into `data`, and returns how many the message has.
void show_short(NodeHierarchy& hierarchy, std::span<const std::byte> data);
std::uint64_t take_short(NodeHierarchy& hierarchy, int leader, Span data);

// The leader's end. `shared_memory` null: by messages.
class IntraNodeBcastRoot {
 public:
  IntraNodeBcastRoot(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory,
                     const std::byte* data);
  void publish(const Segment& segment,
               std::uint64_t left);  // the next segment, and how many follow
  void finish();                     // all ranks have it

 private:
  NodeHierarchy& hierarchy_;
  NodeSharedMemory* shared_memory_;
  const std::byte* data_;
  std::vector<int> others_;
  std::uint64_t position_ = 0;
  std::vector<MPI_Request> sends_;
};

// The end of another rank. take() returns when the segment has arrived, or as much as the leader
// has.
class IntraNodeBcastLeaf {
 public:
  IntraNodeBcastLeaf(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory, int leader,
                     std::byte* data);
  std::uint64_t take(const Segment& segment);  // returns bytes
  std::uint64_t take_all(const Segmentation& segmentation);
  bool has_more() const;  // more than was taken; with messages, finish() finds out
  void finish();
  // Waking for each segment costs more than it gains, because there are more ranks than cores.
  bool takes_larger_pieces() const {
    return shared_memory_ != nullptr && hierarchy_.waiting().oversubscribed;
  }

 private:
  std::uint64_t receive(const Span& place);

  NodeHierarchy& hierarchy_;
  NodeSharedMemory* shared_memory_;
  int leader_;
  std::byte* data_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> left_;  // messages left, once the first has arrived
};

}  // namespace nmt::collectives
