// SPDX-License-Identifier: BSD-3-Clause
//
// Segments between two ranks: several are under way at a time, in order.
//
// A message tells by its tag which stream it is of and how many are left after it. Its receiver
// takes whatever comes next from that rank, from which one stream comes at a time, and asks for
// those only that will come: who expects more or less than there is, in a program whose ranks give
// different counts, learns it from the first message, or of very many from one of the last, and
// waits for no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/mpi/node_hierarchy.h"

namespace nmt::collectives {

// A part of a stream, in a buffer that all ranks have alike.
struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// A message cut into segments of equal bytes, but the last.
class Segmentation {
 public:
  Segmentation(std::uint64_t bytes, std::uint64_t segment_bytes)  // 0: whole
      : bytes_(bytes), each_(segment_bytes == 0 ? bytes : segment_bytes) {}

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t each() const { return each_; }
  std::uint64_t segments() const { return bytes_ == 0 ? 0 : (bytes_ + each_ - 1) / each_; }
  std::uint64_t offset(std::uint64_t segment) const { return segment * each_; }
  std::uint64_t bytes_of(std::uint64_t segment) const {
    return segment + 1 < segments() ? each_ : bytes_ - offset(segment);
  }
  Segment segment_at(std::uint64_t segment) const { return {offset(segment), bytes_of(segment)}; }

 private:
  std::uint64_t bytes_;
  std::uint64_t each_;
};

using Span = std::span<std::byte>;

enum class Stream { kSpread, kTree, kRing, kGather };

int tag_of(Stream stream, std::uint64_t left);

struct Arrival {
  Span data;               // shorter than its place only of the last
  std::uint64_t left = 0;  // messages after it: so many at least, and 0 only where none is
};

// What a message of a stream has brought to its place; Error where it is another stream's, or
// leaves a gap.
Arrival arrival_of(const MPI_Status& status, const Span& place, Stream stream);

// Receives one message after the other, and asks for some before they come, once it knows that they
// will: the next is on the wire while one is passed on.
inline constexpr std::size_t kReceivesAhead = 4;
class ReceivePipeline {
 public:
  // Where each of the messages goes. Places may come again after kReceivesAhead others.
  ReceivePipeline(NodeHierarchy& hierarchy, std::vector<Span> places, int from, Stream stream);
  ~ReceivePipeline();  // asks for nothing any more
  ReceivePipeline(ReceivePipeline&&) = default;
  bool ready();  // next() would not wait
  Span next();   // has come; Error where there is more or less to come than there are places
  Arrival next_or_end();  // the same, but there may be less to come

 private:
  void ask();

  NodeHierarchy& hierarchy_;
  std::vector<Span> places_;
  int from_;
  Stream stream_;
  std::size_t asked_ = 0;
  std::size_t come_ = 0;
  std::vector<MPI_Request> requests_;  // a ring
  std::vector<MPI_Status> statuses_;   // of these
};

// Sends one after the other and never waits for those before: in a ring, all would wait for each
// other.
class SendPipeline {
 public:
  SendPipeline(NodeHierarchy& hierarchy, Stream stream) : hierarchy_(hierarchy), stream_(stream) {}
  void send(std::span<const std::byte> bytes, int to, std::uint64_t left);
  void finish(std::size_t but = 0);  // all have gone but the last ones

 private:
  NodeHierarchy& hierarchy_;
  Stream stream_;
  std::vector<MPI_Request> sent_;
  std::size_t done_ = 0;
};

}  // namespace nmt::collectives
