// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/group_exchange.h"

#include <cstring>

namespace nmt::collectives {

// Messages of window() steps are on the wire while the leader waits for the first of them. It frees
// the slots of what it has sent as soon as the step after the window begins: its peer has begun
// that step too, or will without waiting for this rank.
void lead(const NodeExchange& exchange, GroupExchange& group, ExchangeNetwork& network) {
  const std::uint64_t steps = exchange.steps(), window = exchange.window();
  std::uint64_t freed = 0;
  const auto free_next = [&] {
    if (exchange.step(freed).sends()) network.wait_sent(freed);
    group.sent(freed++);
  };
  for (std::uint64_t i = 0; i < steps + window; ++i) {
    if (i < steps) {
      const ExchangeStep step = exchange.step(i);
      if (i > window) free_next();
      if (step.receives()) network.receive(i, group.place_for(i));
      group.give(i);
      const std::span<const std::byte> message = group.outgoing(i);
      if (step.sends()) network.send(i, message);
    }
    if (i < window) continue;
    const std::uint64_t first = i - window;
    if (exchange.step(first).receives()) network.wait_received(first);
    group.arrived(first);
    group.take(first);
  }
  while (freed < steps) free_next();
  group.finish();
}

// It gives twice the window ahead, so that the leader seldom waits for it.
void follow(const NodeExchange& exchange, GroupExchange& group) {
  const std::uint64_t steps = exchange.steps(), ahead = 2 * exchange.window();
  for (std::uint64_t i = 0; i < steps + ahead; ++i) {
    if (i < steps) group.give(i);
    if (i >= ahead) group.take(i - ahead);
  }
  group.finish();
}

// The leader's number of segments put is that of messages sent, its number worked that of messages
// arrived. Those of the other members are what they have given and taken.
SharedExchange::SharedExchange(NodeSharedMemory& shared_memory, const NodeExchange& exchange,
                               const SentBlocks& from, const ReceivedBlocks& to, int leader,
                               const WaitPolicy& waiting)
    : shared_memory_(shared_memory),
      exchange_(exchange),
      from_(from),
      to_(to),
      leader_(leader),
      waiting_(waiting) {
  shared_memory_.begin();
}

std::size_t SharedExchange::area_bytes(std::uint64_t slots_bytes, std::size_t members,
                                       std::size_t numbers) {
  return (slots_bytes + members - 1) / members + numbers * sizeof(std::uint64_t);
}

std::size_t SharedExchange::area_bytes(const NodeExchange& exchange) {
  return area_bytes(2 * exchange.slots() * exchange.slot_bytes(), exchange.own_ranks().size());
}

std::byte* SharedExchange::slot_to_send(std::uint64_t step) const {
  return shared_memory_.areas().data() + step % exchange_.slots() * exchange_.slot_bytes();
}

std::byte* SharedExchange::slot_received(std::uint64_t step) const {
  return slot_to_send(step) + exchange_.slots() * exchange_.slot_bytes();
}

void SharedExchange::wait_until_others_took(std::uint64_t steps) {
  for (int member = 0; member < shared_memory_.members(); ++member) {
    if (member == leader_ || member == shared_memory_.self()) continue;
    shared_memory_.wait_for_work(member, steps, waiting_);
  }
}

void SharedExchange::give(std::uint64_t step) {
  if (!leads() && step >= exchange_.slots()) {
    shared_memory_.wait_for_put(leader_, step + 1 - exchange_.slots(), waiting_);
  }
  const ExchangeStep part = exchange_.step(step);
  const std::uint64_t offset = exchange_.given(part, self()).offset;
  exchange_.give(part, self(), from_, slot_to_send(step) + offset);
  if (!leads()) shared_memory_.put(step + 1);
}

std::span<const std::byte> SharedExchange::outgoing(std::uint64_t step) {
  for (int member = 0; member < shared_memory_.members(); ++member) {
    if (member != leader_) shared_memory_.wait_for_put(member, step + 1, waiting_);
  }
  return {slot_to_send(step), exchange_.step(step).sent_bytes};
}

// What a group sends to itself is taken where it was given.
void SharedExchange::sent(std::uint64_t step) {
  if (exchange_.step(step).is_local) wait_until_others_took(step + 1);
  shared_memory_.put(step + 1);
}

std::span<std::byte> SharedExchange::place_for(std::uint64_t step) {
  if (step >= exchange_.slots()) wait_until_others_took(step + 1 - exchange_.slots());
  return {slot_received(step), exchange_.step(step).received_bytes};
}

void SharedExchange::arrived(std::uint64_t step) { shared_memory_.worked(step + 1); }

void SharedExchange::take(std::uint64_t step) {
  if (!leads()) shared_memory_.wait_for_work(leader_, step + 1, waiting_);
  const ExchangeStep part = exchange_.step(step);
  const std::byte* message = part.is_local ? slot_to_send(step) : slot_received(step);
  exchange_.take(part, self(), message, to_);
  if (!leads()) shared_memory_.worked(step + 1);
}

// The slots are in the areas of all. Where members read each other's memory, operations that use
// areas begin with a meeting; where they do not, the next one may write to its area at once.
void SharedExchange::finish() {
  if (shared_memory_.all_can_read()) return;
  const std::uint64_t all = exchange_.steps();
  if (leads()) {
    shared_memory_.put(all + 1);
  } else {
    shared_memory_.wait_for_put(leader_, all + 1, waiting_);
  }
  wait_until_others_took(all);
}

// As for finish(): where members read each other's memory, the next operation that uses areas
// begins with a meeting.
std::vector<std::uint64_t> share_rows(NodeSharedMemory& shared_memory,
                                      std::span<const std::uint64_t> own,
                                      const WaitPolicy& waiting) {
  const auto members = static_cast<std::size_t>(shared_memory.members());
  const std::span<std::byte> all = shared_memory.areas().last(members * own.size_bytes());
  const auto self = static_cast<std::size_t>(shared_memory.self());
  shared_memory.begin();
  std::memcpy(all.data() + self * own.size_bytes(), own.data(), own.size_bytes());
  shared_memory.put(1);
  for (int member = 0; member < shared_memory.members(); ++member) {
    shared_memory.wait_for_put(member, 1, waiting);
  }
  std::vector<std::uint64_t> rows(members * own.size());
  std::memcpy(rows.data(), all.data(), all.size());
  if (shared_memory.all_can_read()) return rows;
  shared_memory.worked(1);
  for (int member = 0; member < shared_memory.members(); ++member) {
    shared_memory.wait_for_work(member, 1, waiting);
  }
  return rows;
}

}  // namespace nmt::collectives
