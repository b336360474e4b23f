// SPDX-License-Identifier: BSD-3-Clause
//
// An alltoall between nodes, without an MPI: which messages the leaders of all groups exchange, and
// what is where in them.
//
// Every two groups exchange messages; each carries a part of the block of every rank of one group
// for every rank of the other. So a node of p ranks sends a hundred messages of a hundred others,
// not p^2 hundred small ones. In round r, group g sends to group g + r and receives from group
// g - r: no card receives from two nodes at a time. In the last round, each group exchanges with
// itself.
//
// A step is one message each way. All groups have the same steps, so a leader may wait for step i
// once all leaders have begun the steps before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt::collectives {

struct ExchangeStep {
  std::size_t to = 0;        // group
  std::size_t from = 0;      // group
  std::uint64_t offset = 0;  // of the part in each block
  std::uint64_t bytes = 0;   // of the part
  std::uint64_t left = 0;    // steps with the same groups that follow
  bool is_local = false;     // both are this group
};

class NodeExchange {
 public:
  // `groups`: the ranks of each, at least one; `block_bytes`: from each rank to each other, not 0;
  // `segment_bytes`: what a message between groups should have; 0: all that one group has for
  // another. A message is never larger than kMessageBytesMax, except where it has one byte of each
  // block; the largest groups of all decide, so that all messages have as many parts.
  static constexpr std::uint64_t kMessageBytesMax = 4 << 20;
  NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
               std::uint64_t block_bytes, std::uint64_t segment_bytes);

  std::uint64_t steps() const { return groups_.size() * parts_; }
  ExchangeStep step(std::uint64_t index) const;
  std::uint64_t left_after(std::uint64_t index) const { return steps() - 1 - index; }

  // So many messages are under way before the leader waits for the first. Each step has its slot,
  // step % slots(): a part of memory for what is sent and one for what is received. The leader
  // frees slots before the other ranks need them.
  std::uint64_t window() const { return window_; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t slot_bytes() const { return slot_bytes_; }  // the largest message; aligned

  const std::vector<int>& own_ranks() const { return groups_[own_group_]; }
  const std::vector<int>& ranks_of(std::size_t group) const { return groups_[group]; }
  std::uint64_t sent_bytes(const ExchangeStep& step) const;
  std::uint64_t received_bytes(const ExchangeStep& step) const;
  // What one rank gives to the message that is sent, and gets of the one that is received.
  std::uint64_t given_bytes(const ExchangeStep& step) const;
  std::uint64_t taken_bytes(const ExchangeStep& step) const;

  // A message has the parts of one sending rank after the other, each for all receiving ranks.
  // give: copies the parts of the blocks `from` of this rank to `given`, which is the message +
  // member * given_bytes(). take: copies the parts for this rank into the blocks `to`; the first
  // one is at `taken`, the others follow at distances of `stride` bytes: in a message, it is the
  // message + member * step.bytes, and the stride step.bytes * own_ranks().size().
  void give(const ExchangeStep& step, const std::byte* from, std::byte* given) const;
  void take(const ExchangeStep& step, const std::byte* taken, std::uint64_t stride,
            std::byte* to) const;

 private:
  std::vector<std::vector<int>> groups_;
  std::size_t own_group_;
  std::uint64_t block_bytes_;
  std::uint64_t part_bytes_ = 0;
  std::uint64_t parts_ = 0;  // of a block
  std::uint64_t window_ = 0;
  std::uint64_t slots_ = 0;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace nmt::collectives
