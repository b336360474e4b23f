// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/exchange_messages.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace nmt::collectives {
namespace {

// By messages, of the ranks of this group. Where Open MPI 5 copies from one rank's memory to
// another's, it writes a message that is too long beyond the end of the buffer, before it reports
// that.
void compare_sizes(const NodeHierarchy& hierarchy, std::uint64_t bytes) {
  const std::vector<std::uint64_t> sizes =
      hierarchy.gather_in_group(std::span<const std::uint64_t>(&bytes, 1));
  if (std::ranges::count(sizes, bytes) != std::ssize(sizes)) fail_on_different_counts();
}

}  // namespace

NodeSharedMemory* memory_for(NodeHierarchy& hierarchy, const NodeExchange& exchange,
                             std::uint64_t bytes) {
  if (exchange.own_ranks().size() == 1) return nullptr;
  NodeSharedMemory* shared_memory =
      hierarchy.shared_memory_with_areas(SharedExchange::area_bytes(exchange));
  if (shared_memory == nullptr) compare_sizes(hierarchy, bytes);
  return shared_memory;
}

void exchange_by_nodes(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory,
                       const NodeExchange& exchange, const SentBlocks& from,
                       const ReceivedBlocks& to, int root) {
  const int leader = hierarchy.leader_of(hierarchy.group_of(hierarchy.rank()), root);
  std::unique_ptr<GroupExchange> group;
  if (shared_memory == nullptr) {
    group = std::make_unique<MemberMessages>(hierarchy, exchange, from, to, leader);
  } else {
    group = std::make_unique<SharedExchange>(*shared_memory, exchange, from, to,
                                             hierarchy.member(leader), hierarchy.waiting());
  }
  if (hierarchy.rank() != leader) return follow(exchange, *group);
  LeaderMessages network(hierarchy, exchange, root);
  lead(exchange, *group, network);
}

LeaderMessages::LeaderMessages(NodeHierarchy& hierarchy, const NodeExchange& exchange, int root)
    : hierarchy_(hierarchy),
      exchange_(exchange),
      root_(root),
      sends_(exchange.slots(), MPI_REQUEST_NULL),
      receives_(exchange.slots(), MPI_REQUEST_NULL) {}

LeaderMessages::~LeaderMessages() {
  for (MPI_Request& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
  }
}

void LeaderMessages::send(std::uint64_t step, std::span<const std::byte> message) {
  const ExchangeStep part = exchange_.step(step);
  check(PMPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, leader_of(part.to),
                   tag_of(Stream::kRing, part.sends_left), hierarchy_.comm(),
                   &sends_[step % exchange_.slots()]));
}

void LeaderMessages::receive(std::uint64_t step, std::span<std::byte> place) {
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE,
                   leader_of(exchange_.step(step).from), MPI_ANY_TAG, hierarchy_.comm(),
                   &receives_[step % exchange_.slots()]));
}

void LeaderMessages::wait_sent(std::uint64_t step) {
  hierarchy_.wait(&sends_[step % exchange_.slots()]);
}

void LeaderMessages::wait_received(std::uint64_t step) {
  MPI_Status status;
  const ExchangeStep part = exchange_.step(step);
  hierarchy_.wait(&receives_[step % exchange_.slots()], &status);
  expect_arrival(status, part.received_bytes, Stream::kRing, part.receives_left);
}

MemberMessages::MemberMessages(NodeHierarchy& hierarchy, const NodeExchange& exchange,
                               const SentBlocks& from, const ReceivedBlocks& to, int leader)
    : hierarchy_(hierarchy),
      exchange_(exchange),
      from_(from),
      to_(to),
      leader_(leader),
      member_(static_cast<std::size_t>(hierarchy.member(hierarchy.rank()))),
      slots_(leads() ? 2 * exchange.slots() * exchange.slot_bytes() : 0) {
  sent_.resize(exchange.slots() * exchange.own_ranks().size());
}

MemberMessages::~MemberMessages() {
  if (receipt_ != MPI_REQUEST_NULL) {
    PMPI_Cancel(&receipt_);
    PMPI_Request_free(&receipt_);
    new std::vector<std::byte>(std::move(taken_));
  }
  for (Sent& sent : sent_) {
    if (sent.request == MPI_REQUEST_NULL) continue;
    PMPI_Request_free(&sent.request);
    new std::vector<std::byte>(std::move(sent.bytes));
  }
}

std::byte* MemberMessages::slot_to_send(std::uint64_t step) const {
  return slots_.data() + step % exchange_.slots() * exchange_.slot_bytes();
}

std::byte* MemberMessages::slot_received(std::uint64_t step) const {
  return slot_to_send(step) + exchange_.slots() * exchange_.slot_bytes();
}

const std::byte* MemberMessages::message_of(std::uint64_t step) const {
  return exchange_.step(step).is_local ? slot_to_send(step) : slot_received(step);
}

// A buffer of `bytes` for the next message to that member, once the one before it in this slot is
// sent.
MemberMessages::Sent& MemberMessages::next_of(std::uint64_t step, std::size_t member,
                                              std::uint64_t bytes) {
  Sent& sent = sent_[step % exchange_.slots() * exchange_.own_ranks().size() + member];
  hierarchy_.wait(&sent.request);
  sent.bytes.resize(bytes);
  return sent;
}

void MemberMessages::send(Sent& sent, int to, int tag) {
  check(PMPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, tag,
                   hierarchy_.comm(), &sent.request));
}

void MemberMessages::receive(std::span<std::byte> place, int from, Stream stream,
                             std::uint64_t left) {
  MPI_Status status;
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE, from, MPI_ANY_TAG,
                   hierarchy_.comm(), &receipt_));
  hierarchy_.wait(&receipt_, &status);
  expect_arrival(status, place.size(), stream, left);
}

// Nothing is sent where there is nothing to give or to take, which both sides know.
void MemberMessages::give(std::uint64_t step) {
  const ExchangeStep part = exchange_.step(step);
  const auto [offset, bytes] = exchange_.given(part, member_);
  if (leads()) return exchange_.give(part, member_, from_, slot_to_send(step) + offset);
  if (bytes == 0) return;
  Sent& sent = next_of(step, member_, bytes);
  exchange_.give(part, member_, from_, sent.bytes.data());
  send(sent, leader_, tag_of(Stream::kGather, exchange_.left_after(step)));
}

std::span<const std::byte> MemberMessages::outgoing(std::uint64_t step) {
  const ExchangeStep part = exchange_.step(step);
  const std::vector<int>& ranks = exchange_.own_ranks();
  for (std::size_t member = 0; member < ranks.size(); ++member) {
    const auto [offset, bytes] = exchange_.given(part, member);
    if (ranks[member] == leader_ || bytes == 0) continue;
    receive({slot_to_send(step) + offset, bytes}, ranks[member], Stream::kGather,
            exchange_.left_after(step));
  }
  return {slot_to_send(step), part.sent_bytes};
}

std::span<std::byte> MemberMessages::place_for(std::uint64_t step) {
  return {slot_received(step), exchange_.step(step).received_bytes};
}

void MemberMessages::arrived(std::uint64_t step) {
  const ExchangeStep part = exchange_.step(step);
  const std::vector<int>& ranks = exchange_.own_ranks();
  for (std::size_t member = 0; member < ranks.size(); ++member) {
    const std::uint64_t bytes = exchange_.taken_bytes(part, member);
    if (ranks[member] == leader_ || bytes == 0) continue;
    Sent& sent = next_of(step, member, bytes);
    exchange_.pick(part, member, message_of(step), sent.bytes.data());
    send(sent, ranks[member], tag_of(Stream::kSpread, exchange_.left_after(step)));
  }
}

void MemberMessages::take(std::uint64_t step) {
  const ExchangeStep part = exchange_.step(step);
  if (leads()) return exchange_.take(part, member_, message_of(step), to_);
  taken_.resize(exchange_.taken_bytes(part, member_));
  if (taken_.empty()) return;
  receive(taken_, leader_, Stream::kSpread, exchange_.left_after(step));
  exchange_.take_picked(part, member_, taken_.data(), to_);
}

void MemberMessages::finish() {
  for (Sent& sent : sent_) hierarchy_.wait(&sent.request);
}

}  // namespace nmt::collectives
