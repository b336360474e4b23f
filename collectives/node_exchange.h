// SPDX-License-Identifier: BSD-3-Clause
//
// An alltoall between nodes, without an MPI: which messages the leaders of all groups exchange, and
// what is where in them. Blocks, what one rank has for another, may be equal or not.
//
// Every two groups exchange one message each way, with the blocks of every rank of one group for
// every rank of the other, divided into parts of equal size. So a node of p ranks sends a hundred
// messages to a hundred others, not p^2 hundred small ones. In round r, group g sends to group
// g + r and receives from group g - r: no card receives from two nodes at a time. In the last
// round, each group exchanges with itself.
//
// A step is one part each way, or one way only where one of the two messages has more parts. Steps
// of all groups are ordered by round, then by part. A leader sends its part of a step before it
// waits for that of any other group in this step or a later one; so none waits without end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nmt::collectives {

struct ExchangeStep {
  std::size_t to = 0;                // group
  std::size_t from = 0;              // group
  std::uint64_t offset = 0;          // of the part, in both messages
  std::uint64_t sent_bytes = 0;      // of the part; 0: nothing is sent
  std::uint64_t received_bytes = 0;  // the same
  std::uint64_t sends_left = 0;      // parts for this group that follow
  std::uint64_t receives_left = 0;   // parts from this group that follow
  bool is_local = false;             // both are this group

  bool sends() const { return !is_local && sent_bytes > 0; }
  bool receives() const { return !is_local && received_bytes > 0; }
};

// Where the blocks of one rank are in its memory: at equal distances, or anywhere.
template <class Byte>
struct BlocksOf {
  Byte* first = nullptr;
  std::uint64_t distance_bytes = 0;
  Byte* const* places = nullptr;  // by rank; null: at equal distances

  Byte* of(int rank) const {
    return places == nullptr ? first + static_cast<std::uint64_t>(rank) * distance_bytes
                             : places[rank];
  }
};
using SentBlocks = BlocksOf<const std::byte>;
using ReceivedBlocks = BlocksOf<std::byte>;

// Blocks that the root has for all ranks (a Scatter), or all ranks for the root (a Gather).
struct RootedBlocks {
  int root = 0;
  bool from_root = false;
  std::vector<std::uint64_t> bytes;  // of each rank's block, the root's own too
};

class NodeExchange {
 public:
  // `groups`: the ranks of each, at least one. `segment_bytes`: what a part should have; 0: the
  // whole message. No part is larger than kMessageBytesMax.
  static constexpr std::uint64_t kMessageBytesMax = 4 << 20;
  // Blocks of `block_bytes`, not 0.
  NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
               std::uint64_t block_bytes, std::uint64_t segment_bytes);
  // `rows`: for each member of the own group, the bytes that it sends to each rank, then the bytes
  // that it receives from each. `all_bytes`: of all blocks of all groups.
  NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
               const std::vector<std::uint64_t>& rows, std::uint64_t all_bytes,
               std::uint64_t segment_bytes);
  // Only messages from the root's group, or only messages to it, have blocks.
  NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
               const RootedBlocks& blocks, std::uint64_t segment_bytes);

  std::uint64_t steps() const { return first_steps_.back(); }
  ExchangeStep step(std::uint64_t index) const;
  std::uint64_t left_after(std::uint64_t index) const { return steps() - 1 - index; }

  // So many messages are under way before the leader waits for the first. Each step has its slot,
  // step % slots(): a part of memory for what is sent and one for what is received. The leader
  // frees slots before the other ranks need them.
  std::uint64_t window() const { return window_; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t slot_bytes() const { return slot_bytes_; }  // the largest message; aligned
  // The most that all slots take, whatever the sizes of the blocks of one group.
  static std::uint64_t memory_bytes_max(std::uint64_t all_bytes, std::uint64_t segment_bytes);

  const std::vector<int>& own_ranks() const { return groups_[own_group_]; }

  // A message has the blocks of one sending rank after the other, each for all receiving ranks. So
  // what one member gives to a part is in one piece.
  struct Given {
    std::uint64_t offset = 0;  // in the part
    std::uint64_t bytes = 0;
  };
  Given given(const ExchangeStep& step, std::size_t member) const;
  // Copies it from the member's blocks.
  void give(const ExchangeStep& step, std::size_t member, const SentBlocks& from,
            std::byte* given) const;

  // What a member takes of a part, piece by piece. take: copies it into the member's blocks, out of
  // the part. pick: puts the pieces together. take_picked: copies them into the blocks from there.
  std::uint64_t taken_bytes(const ExchangeStep& step, std::size_t member) const;
  void take(const ExchangeStep& step, std::size_t member, const std::byte* part,
            const ReceivedBlocks& to) const;
  void pick(const ExchangeStep& step, std::size_t member, const std::byte* part,
            std::byte* picked) const;
  void take_picked(const ExchangeStep& step, std::size_t member, const std::byte* picked,
                   const ReceivedBlocks& to) const;

 private:
  struct Message {
    std::uint64_t bytes = 0;
    std::size_t first = 0;  // of its blocks, in begins_
  };

  NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group)
      : groups_(std::move(groups)), own_group_(own_group) {}
  void divide(std::uint64_t largest_bytes, std::uint64_t segment_bytes);
  std::size_t to_in(std::size_t round) const;    // group
  std::size_t from_in(std::size_t round) const;  // group
  // Where a block begins in a message: that of sender i for receiver j is number
  // i * receivers + j.
  std::uint64_t begin_of(const Message& message, std::size_t block) const {
    return begins_.empty() ? block * block_bytes_ : begins_[message.first + block];
  }
  template <class Copy>
  void for_each_taken(const ExchangeStep& step, std::size_t member, Copy&& copy) const;

  std::vector<std::vector<int>> groups_;
  std::size_t own_group_;
  std::uint64_t block_bytes_ = 0;           // if all are equal
  std::vector<std::uint64_t> begins_;       // else, in all messages
  std::vector<Message> sent_, received_;    // by group
  std::vector<std::uint64_t> first_steps_;  // by round, and the number of all steps
  std::uint64_t part_bytes_ = 0;
  std::uint64_t window_ = 0;
  std::uint64_t slots_ = 0;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace nmt::collectives
