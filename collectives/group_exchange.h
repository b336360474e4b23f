// SPDX-License-Identifier: BSD-3-Clause
//
// The alltoall of NodeExchange as the ranks of one group carry it out: all of them give their parts
// of each message and take their parts of each that arrives; the leader talks to other groups.
// Neither the memory of the group nor the network is known here, so that tests run it on fakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/node_exchange.h"
#include "collectives/node_shared_memory.h"

namespace nmt::collectives {

// One rank's part of its group's exchange. Steps come in order.
class GroupExchange {
 public:
  virtual ~GroupExchange() = default;
  virtual void give(std::uint64_t step) = 0;  // waits until its slot is free
  virtual void take(std::uint64_t step) = 0;  // waits until the message is here
  virtual void finish() = 0;                  // this rank's memory may be used for what follows

  // For the leader. outgoing: the part of a step, once all have given. sent: it may be overwritten.
  // place_for: where the part that is received in a step goes, once that is free; only for steps
  // that receive. arrived: it is there, if there is one.
  virtual std::span<const std::byte> outgoing(std::uint64_t step) = 0;
  virtual void sent(std::uint64_t step) = 0;
  virtual std::span<std::byte> place_for(std::uint64_t step) = 0;
  virtual void arrived(std::uint64_t step) = 0;
};

// What a leader needs of a network. Messages from one group to another stay in order.
class ExchangeNetwork {
 public:
  virtual ~ExchangeNetwork() = default;
  virtual void send(std::uint64_t step, std::span<const std::byte> message) = 0;
  virtual void receive(std::uint64_t step, std::span<std::byte> place) = 0;
  virtual void wait_sent(std::uint64_t step) = 0;
  virtual void wait_received(std::uint64_t step) = 0;
};

// The whole exchange, for the leader and for the other ranks.
void lead(const NodeExchange& exchange, GroupExchange& group, ExchangeNetwork& network);
void follow(const NodeExchange& exchange, GroupExchange& group);

// By shared memory. The areas of all members together hold the slots, those for messages to be sent
// first; each rank copies its parts into and out of them.
class SharedExchange : public GroupExchange {
 public:
  // What each of so many members' areas must hold for slots of `slots_bytes`, and for what
  // share_rows() shares.
  static std::size_t area_bytes(std::uint64_t slots_bytes, std::size_t members,
                                std::size_t numbers = 0);
  static std::size_t area_bytes(const NodeExchange& exchange);

  // `from` and `to` are the blocks of this rank; `leader` is a member index. Called by all members,
  // which have met and have areas.
  SharedExchange(NodeSharedMemory& shared_memory, const NodeExchange& exchange,
                 const SentBlocks& from, const ReceivedBlocks& to, int leader,
                 const WaitPolicy& waiting);

  void give(std::uint64_t step) override;
  void take(std::uint64_t step) override;
  void finish() override;
  std::span<const std::byte> outgoing(std::uint64_t step) override;
  void sent(std::uint64_t step) override;
  std::span<std::byte> place_for(std::uint64_t step) override;
  void arrived(std::uint64_t step) override;

 private:
  bool leads() const { return shared_memory_.self() == leader_; }
  std::size_t self() const { return static_cast<std::size_t>(shared_memory_.self()); }
  std::byte* slot_to_send(std::uint64_t step) const;
  std::byte* slot_received(std::uint64_t step) const;
  void wait_until_others_took(std::uint64_t steps);

  NodeSharedMemory& shared_memory_;
  const NodeExchange& exchange_;
  SentBlocks from_;
  ReceivedBlocks to_;
  int leader_;
  const WaitPolicy& waiting_;
};

// The numbers of each member, one member after the other; all give equally many. Through the ends
// of the areas, which slots leave free. Called by all members, which have met and have areas.
std::vector<std::uint64_t> share_rows(NodeSharedMemory& shared_memory,
                                      std::span<const std::uint64_t> own,
                                      const WaitPolicy& waiting);

}  // namespace nmt::collectives
