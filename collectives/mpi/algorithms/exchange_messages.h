// SPDX-License-Identifier: BSD-3-Clause
//
// Carries the messages of a NodeExchange by an MPI: between the leaders of groups, and within a
// group whose ranks share no memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/group_exchange.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"
#include "collectives/mpi/hierarchy/message_memory.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {

// The shared memory through which the ranks of this group exchange blocks, with areas that are
// large enough; null: they exchange messages. The ranks compare `bytes`: it is an Error if one of
// them passes another number.
NodeSharedMemory* memory_for(NodeHierarchy& hierarchy, const NodeExchange& exchange,
                             std::uint64_t bytes);

// Runs this rank's part of the exchange, through the memory that memory_for() returned. The root,
// if there is one, leads its group.
void exchange_by_nodes(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory,
                       const NodeExchange& exchange, const SentBlocks& from,
                       const ReceivedBlocks& to, int root = -1);

// Between this leader and the others. After an error, it cancels receives whose message has not
// started to arrive.
class LeaderMessages : public ExchangeNetwork {
 public:
  LeaderMessages(NodeHierarchy& hierarchy, const NodeExchange& exchange, int root);
  ~LeaderMessages() override;
  LeaderMessages(const LeaderMessages&) = delete;
  void send(std::uint64_t step, std::span<const std::byte> message) override;
  void receive(std::uint64_t step, std::span<std::byte> place) override;
  void wait_sent(std::uint64_t step) override;
  void wait_received(std::uint64_t step) override;

 private:
  int leader_of(std::size_t group) const {
    return hierarchy_.leader_of(static_cast<int>(group), root_);
  }

  NodeHierarchy& hierarchy_;
  const NodeExchange& exchange_;
  int root_;                        // of the operation; -1: none
  std::vector<MPI_Request> sends_;  // by slot
  std::vector<MPI_Request> receives_;
};

// Within a group: each rank sends the leader what it gives, and gets from it what it takes. Also
// for a group of one rank. After an error, memory that the MPI may still read or write is never
// freed.
class MemberMessages : public GroupExchange {
 public:
  // `from` and `to` are the blocks of this rank; `leader` is a rank.
  MemberMessages(NodeHierarchy& hierarchy, const NodeExchange& exchange, const SentBlocks& from,
                 const ReceivedBlocks& to, int leader);
  ~MemberMessages() override;
  MemberMessages(const MemberMessages&) = delete;

  void give(std::uint64_t step) override;
  void take(std::uint64_t step) override;
  void finish() override;
  std::span<const std::byte> outgoing(std::uint64_t step) override;
  void sent(std::uint64_t) override {}
  std::span<std::byte> place_for(std::uint64_t step) override;
  void arrived(std::uint64_t step) override;

 private:
  struct Sent {
    std::vector<std::byte> bytes = {};
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool leads() const { return hierarchy_.rank() == leader_; }
  std::byte* slot_to_send(std::uint64_t step) const;
  std::byte* slot_received(std::uint64_t step) const;
  const std::byte* message_of(std::uint64_t step) const;
  Sent& next_of(std::uint64_t step, std::size_t member, std::uint64_t bytes);
  void send(Sent& sent, int to, int tag);
  void receive(std::span<std::byte> place, int from, Stream stream, std::uint64_t left);

  NodeHierarchy& hierarchy_;
  const NodeExchange& exchange_;
  SentBlocks from_;
  ReceivedBlocks to_;
  int leader_;
  std::size_t member_;
  MessageMemory slots_;           // of the leader
  std::vector<Sent> sent_;        // by slot, then by member
  std::vector<std::byte> taken_;  // of other ranks: what has come from the leader
  MPI_Request receipt_ = MPI_REQUEST_NULL;
};

}  // namespace nmt::collectives
