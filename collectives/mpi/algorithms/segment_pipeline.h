// SPDX-License-Identifier: BSD-3-Clause
//
// Segments between two ranks: several are in transit at a time, in order.
//
// The tag of a message says to which stream it belongs and how many messages follow it. One stream
// at a time comes from a rank. The receiver takes its next message, and posts receives only for
// messages that will come. In a program whose ranks pass different counts, a receiver that expects
// more or fewer messages learns this from the first message, or in very long streams from one of
// the last, and never waits for a message that does not come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {

// A part of a stream; offsets are the same on all ranks.
struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// A message divided into segments of equal size, except the last. `first` is the segment in memory
// that has number 0. After the last segment in memory, the numbers go on with the first one.
class Segmentation {
 public:
  Segmentation(std::uint64_t bytes, std::uint64_t segment_bytes,  // 0: the whole message
               std::uint64_t first = 0)
      : bytes_(bytes), each_(segment_bytes == 0 ? bytes : segment_bytes), first_(first) {}

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t each() const { return each_; }
  std::uint64_t segments() const { return bytes_ == 0 ? 0 : (bytes_ + each_ - 1) / each_; }
  std::uint64_t offset(std::uint64_t segment) const { return place(segment) * each_; }
  std::uint64_t bytes_of(std::uint64_t segment) const {
    return std::min(each_, bytes_ - offset(segment));
  }
  Segment segment_at(std::uint64_t segment) const { return {offset(segment), bytes_of(segment)}; }
  // One past the last number of the segments that follow this one in memory without a break.
  std::uint64_t end_of_run(std::uint64_t segment) const {
    const std::uint64_t at_end = segments() - first_;
    return segment < at_end ? at_end : segments();
  }

 private:
  std::uint64_t place(std::uint64_t segment) const {
    return first_ == 0 ? segment : (segment + first_) % segments();
  }

  std::uint64_t bytes_;
  std::uint64_t each_;
  std::uint64_t first_;
};

using Span = std::span<std::byte>;

enum class Stream { kSpread, kTree, kRing, kGather, kClearToSend };

int tag_of(Stream stream, std::uint64_t left);

struct Arrival {
  Span data;               // only the last one may be shorter than its buffer
  std::uint64_t left = 0;  // at least this many follow; 0 only for the last
};

// The message of a stream that arrived in `place`. Error if it belongs to another stream, or leaves
// a gap.
Arrival arrival_of(const MPI_Status& status, const Span& place, Stream stream);

// Error unless this is the message of that stream that so many follow, whole.
void expect_arrival(const MPI_Status& status, std::uint64_t bytes, Stream stream,
                    std::uint64_t left);

// Receives messages one after the other. It posts some receives in advance, once it knows that
// these messages will come: the next one is on the wire while one is passed on.
inline constexpr std::size_t kReceivesAhead = 4;
class ReceivePipeline {
 public:
  // `places`: a buffer for each message. The same buffer may be used again after kReceivesAhead
  // others.
  ReceivePipeline(NodeHierarchy& hierarchy, std::vector<Span> places, int from, Stream stream);
  ~ReceivePipeline();  // posts no more receives
  ReceivePipeline(ReceivePipeline&&) = default;
  bool ready();  // next() would not wait
  Span next();   // waits for it; Error if more or fewer messages come than there are places
  Arrival next_or_end();  // the same, but fewer may come

 private:
  void ask();

  NodeHierarchy& hierarchy_;
  std::vector<Span> places_;
  int from_;
  Stream stream_;
  std::size_t asked_ = 0;
  std::size_t come_ = 0;
  std::vector<MPI_Request> requests_;  // used as a ring
  std::vector<MPI_Status> statuses_;   // of requests_
};

// Sends messages one after the other without waiting for earlier ones: in a ring, all ranks would
// wait for each other.
class SendPipeline {
 public:
  SendPipeline(NodeHierarchy& hierarchy, Stream stream) : hierarchy_(hierarchy), stream_(stream) {}
  void send(std::span<const std::byte> bytes, int to, std::uint64_t left);
  void finish(std::size_t but = 0);  // all are complete, except the last `but`

 private:
  NodeHierarchy& hierarchy_;
  Stream stream_;
  std::vector<MPI_Request> sent_;
  std::size_t done_ = 0;
};

}  // namespace nmt::collectives
