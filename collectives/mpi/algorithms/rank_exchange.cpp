// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/rank_exchange.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/mpi/algorithms/segment_pipeline.h"
#include "collectives/rank_rounds.h"

namespace nmt::collectives {
namespace {

// The messages under way. Those between two ranks are all of one round, so they stay in order.
class MessagesUnderWay {
 public:
  MessagesUnderWay(NodeHierarchy& hierarchy, std::uint64_t window)
      : hierarchy_(hierarchy), all_(std::max<std::uint64_t>(window, 1)) {}
  MessagesUnderWay(const MessagesUnderWay&) = delete;
  // Only after an error: cancels receives whose message has not started to arrive.
  ~MessagesUnderWay() {
    for (Pair& pair : all_) {
      if (pair.receive != MPI_REQUEST_NULL) PMPI_Cancel(&pair.receive);
      for (MPI_Request* each : {&pair.receive, &pair.send}) {
        if (*each != MPI_REQUEST_NULL) PMPI_Request_free(each);
      }
    }
  }

  // Waits until there is room for another pair.
  void begin() { finish(next_); }
  void receive(std::byte* place, const Segment& part, int from, std::uint64_t left) {
    Pair& pair = all_[next_];
    pair.expected_bytes = part.bytes;
    pair.expected_left = left;
    check(PMPI_Irecv(place + part.offset, static_cast<int>(part.bytes), MPI_BYTE, from, MPI_ANY_TAG,
                     hierarchy_.comm(), &pair.receive));
  }
  void send(const std::byte* block, const Segment& part, int to, std::uint64_t left) {
    check(PMPI_Isend(block + part.offset, static_cast<int>(part.bytes), MPI_BYTE, to,
                     tag_of(Stream::kRing, left), hierarchy_.comm(), &all_[next_].send));
  }
  void end() { next_ = (next_ + 1) % all_.size(); }
  void finish() {
    for (std::size_t i = 0; i < all_.size(); ++i) finish((next_ + i) % all_.size());
  }

 private:
  struct Pair {
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
    std::uint64_t expected_bytes = 0;
    std::uint64_t expected_left = 0;
  };

  void finish(std::size_t index) {
    Pair& pair = all_[index];
    if (pair.receive != MPI_REQUEST_NULL) {
      MPI_Status status;
      hierarchy_.wait(&pair.receive, &status);
      expect_arrival(status, pair.expected_bytes, Stream::kRing, pair.expected_left);
    }
    if (pair.send != MPI_REQUEST_NULL) hierarchy_.wait(&pair.send);
  }

  NodeHierarchy& hierarchy_;
  std::vector<Pair> all_;
  std::size_t next_ = 0;
};

// Empty messages by which a receiver lets a sender begin. Each rank posts its receives from another
// rank in the order in which that rank sends, which is the order of the rounds. In each round the
// empty message comes first.
class ClearToSend {
 public:
  explicit ClearToSend(NodeHierarchy& hierarchy) : hierarchy_(hierarchy) {}
  ClearToSend(const ClearToSend&) = delete;
  ~ClearToSend() {  // only after an error are there any
    if (expected_ != MPI_REQUEST_NULL) PMPI_Cancel(&expected_);
    for (MPI_Request* each : {&expected_, &given_}) {
      if (*each != MPI_REQUEST_NULL) PMPI_Request_free(each);
    }
  }

  void expect(int from) {
    check(PMPI_Irecv(nullptr, 0, MPI_BYTE, from, MPI_ANY_TAG, hierarchy_.comm(), &expected_));
  }
  void give(int to) {
    check(PMPI_Isend(nullptr, 0, MPI_BYTE, to, tag_of(Stream::kClearToSend, 0), hierarchy_.comm(),
                     &given_));
  }
  void wait() {
    if (expected_ != MPI_REQUEST_NULL) {
      MPI_Status status;
      hierarchy_.wait(&expected_, &status);
      expect_arrival(status, 0, Stream::kClearToSend, 0);
    }
    if (given_ != MPI_REQUEST_NULL) hierarchy_.wait(&given_);
  }

 private:
  NodeHierarchy& hierarchy_;
  MPI_Request expected_ = MPI_REQUEST_NULL;
  MPI_Request given_ = MPI_REQUEST_NULL;
};

}  // namespace

// All ranks order their messages by round, then by segment, and post theirs of a step before they
// wait for any of a later one; so none waits without end.
void exchange_by_ranks(NodeHierarchy& hierarchy, const SentBlocks& from, const BlockSizes& sent,
                       const ReceivedBlocks& to, const BlockSizes& received, std::uint64_t window,
                       std::uint64_t segment_bytes) {
  MessagesUnderWay messages(hierarchy, window);
  ClearToSend clear_to_send(hierarchy);
  const int self = hierarchy.rank();
  const auto is_asked = [&](int other) {
    return window <= 1 && hierarchy.group_of(other) != hierarchy.group_of(self);
  };
  for (const RankRound& round : rank_rounds(hierarchy.ranks_by_group(), self)) {
    if (round.to == self) {
      if (sent.of(self) > 0) std::memcpy(to.of(self), from.of(self), sent.of(self));
      continue;
    }
    const bool sends = round.to != RankRound::kNobody;
    const bool receives = round.from != RankRound::kNobody;
    const Segmentation out(sends ? sent.of(round.to) : 0, segment_bytes);
    const Segmentation in(receives ? received.of(round.from) : 0, segment_bytes);
    for (std::uint64_t i = 0; i < std::max(out.segments(), in.segments()); ++i) {
      messages.begin();
      if (i == 0 && out.segments() > 0 && is_asked(round.to)) clear_to_send.expect(round.to);
      if (i < in.segments()) {
        messages.receive(to.of(round.from), in.segment_at(i), round.from, in.segments() - 1 - i);
      }
      if (i == 0 && in.segments() > 0 && is_asked(round.from)) clear_to_send.give(round.from);
      clear_to_send.wait();
      if (i < out.segments()) {
        messages.send(from.of(round.to), out.segment_at(i), round.to, out.segments() - 1 - i);
      }
      messages.end();
    }
  }
  messages.finish();
}

}  // namespace nmt::collectives
