// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders reduce segments around a ring: a reduce-scatter and, for an Allreduce, an allgather after
// it, in one stream (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009).
//
// The data has as many parts as there are groups. A leader first sends the part with its own number
// to the leader before it. Then it receives segments from the leader after it, adds what its own
// group has, and sends the sums on. So each part goes around once and is complete at one leader,
// and each link carries (n - 1) / n of the data. If all leaders need the result, the parts go
// around a second time. Each part is combined once and in one order, so that all ranks get the same
// bits.
//
// If a part has r segments, a leader has at most r + 8 segments in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/mpi/algorithms/group_reduce.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"
#include "collectives/mpi/hierarchy/message_memory.h"

namespace nmt::collectives {

// The data in parts of whole elements. All have equally many segments, but the last ones may have
// fewer, or none.
class RingParts {
 public:
  RingParts(const Reduction& reduction, std::size_t parts, std::uint64_t segment_bytes);

  std::size_t parts() const { return parts_; }
  std::uint64_t segments_each() const { return segments_each_; }
  std::uint64_t segments() const { return from(0).segments(); }
  std::uint64_t segments_of(std::size_t part) const { return begin(part + 1) - begin(part); }
  // All segments: those of this part first, then those of the parts after it, and after the last
  // part those of the first.
  Segmentation from(std::size_t part) const;

 private:
  std::uint64_t begin(std::size_t part) const;  // its first segment

  std::size_t parts_;
  std::uint64_t bytes_;
  std::uint64_t each_ = 0;  // bytes
  std::uint64_t segments_each_ = 0;
};

// For the leader of a group; there are at least two groups. It begins with the part that has the
// number of its group.
class RingPipeline {
 public:
  // `group` combines the segments in the order from this leader's part on. Complete sums go to
  // `result`; null: they stay in the memory of this object. `gathers`: the results of all leaders
  // get all sums. `root` is as for NodeHierarchy::leader_of().
  RingPipeline(NodeHierarchy& hierarchy, int root, GroupReduce& group, const RingParts& parts,
               std::byte* result, bool gathers, const Reduction& reduction);

  // The sums so far of the next segment, in the order from this leader's part on. The segments of
  // the last part in this order are complete, and so are all that go around a second time.
  Span next();
  bool has_reduced() const { return next_ >= segments_; }  // all that the group has
  bool next_is_complete() const { return next_ >= complete_from_; }
  void finish() { sender_.finish(); }  // all sends are complete

 private:
  Span reduce(std::uint64_t position);
  Span place(std::uint64_t position) const;
  std::vector<Span> places_to_receive() const;

  GroupReduce& group_;
  Reduction reduction_;
  Segmentation order_;
  std::byte* result_;
  int before_, after_;           // leaders
  std::uint64_t segments_;       // of the data
  std::uint64_t received_from_;  // before it are those that this leader's group begins
  std::uint64_t complete_from_;
  std::uint64_t end_;        // of the stream
  std::uint64_t sends_;      // of the stream, its first ones
  std::size_t sends_ahead_;  // of the segments before the next one, so many may be under way
  std::uint64_t slots_;      // segments in memory_
  MessageMemory memory_;
  ReceivePipeline receiver_;
  SendPipeline sender_;
  std::uint64_t next_ = 0;
};

}  // namespace nmt::collectives
