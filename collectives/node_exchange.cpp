// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/node_exchange.h"

#include <algorithm>
#include <cstring>

namespace nmt::collectives {
namespace {

constexpr std::uint64_t kAlignment = 64;           // of slots: a cache line
constexpr std::uint64_t kWindowBytes = 256 << 10;  // on the wire; stays in a cache
constexpr std::uint64_t kWindowMax = 64;           // messages of one leader

std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

std::uint64_t bytes_of_part(std::uint64_t largest_bytes, std::uint64_t segment_bytes) {
  const std::uint64_t most = segment_bytes == 0
                                 ? NodeExchange::kMessageBytesMax
                                 : std::min(segment_bytes, NodeExchange::kMessageBytesMax);
  return std::clamp<std::uint64_t>(largest_bytes, 1, most);
}

std::uint64_t aligned(std::uint64_t bytes) { return divide_up(bytes, kAlignment) * kAlignment; }

std::uint64_t window_of(std::uint64_t slot_bytes, std::uint64_t steps) {
  const std::uint64_t most = std::clamp<std::uint64_t>(steps, 1, kWindowMax);
  return std::clamp<std::uint64_t>(kWindowBytes / slot_bytes, 1, most);
}

// The bytes of [begin, end) that are in [offset, offset + bytes).
struct Overlap {
  std::uint64_t begin;
  std::uint64_t end;
  Overlap(std::uint64_t from, std::uint64_t to, std::uint64_t offset, std::uint64_t bytes)
      : begin(std::max(from, offset)), end(std::max(begin, std::min(to, offset + bytes))) {}
  std::uint64_t bytes() const { return end - begin; }
};

}  // namespace

NodeExchange::NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
                           std::uint64_t block_bytes, std::uint64_t segment_bytes)
    : NodeExchange(std::move(groups), own_group) {
  std::uint64_t most = 0;
  for (const std::vector<int>& ranks : groups_) {
    most = std::max<std::uint64_t>(most, ranks.size());
    const std::uint64_t bytes = own_ranks().size() * ranks.size() * block_bytes;
    sent_.push_back({.bytes = bytes});
  }
  received_ = sent_;
  block_bytes_ = block_bytes;
  divide(most * most * block_bytes, segment_bytes);
}

NodeExchange::NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
                           const std::vector<std::uint64_t>& rows, std::uint64_t all_bytes,
                           std::uint64_t segment_bytes)
    : NodeExchange(std::move(groups), own_group) {
  const std::size_t members = own_ranks().size();
  const std::size_t ranks = rows.size() / (2 * members);
  begins_.reserve(2 * (members * ranks + groups_.size()));
  const auto begin_message = [&](std::vector<Message>& messages) {
    messages.push_back({.bytes = 0, .first = begins_.size()});
    begins_.push_back(0);
  };
  const auto add_block = [&](Message& message, std::uint64_t bytes) {
    begins_.push_back(message.bytes += bytes);
  };
  for (const std::vector<int>& others : groups_) {
    begin_message(sent_);
    for (std::size_t member = 0; member < members; ++member) {
      const std::uint64_t* row = rows.data() + 2 * member * ranks;
      for (const int rank : others) add_block(sent_.back(), row[rank]);
    }
    begin_message(received_);
    for (const int rank : others) {
      for (std::size_t member = 0; member < members; ++member) {
        const std::uint64_t* row = rows.data() + (2 * member + 1) * ranks;
        add_block(received_.back(), row[rank]);
      }
    }
  }
  divide(all_bytes, segment_bytes);
}

NodeExchange::NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
                           const RootedBlocks& blocks, std::uint64_t segment_bytes)
    : NodeExchange(std::move(groups), own_group) {
  const auto has_root = [&](const std::vector<int>& ranks) {
    return std::ranges::find(ranks, blocks.root) != ranks.end();
  };
  const auto add_message = [&](std::vector<Message>& messages, const std::vector<int>& senders,
                               const std::vector<int>& receivers) {
    Message& message = messages.emplace_back();
    if (!has_root(blocks.from_root ? senders : receivers)) return;
    message.first = begins_.size();
    begins_.push_back(0);
    for (const int sender : senders) {
      for (const int receiver : receivers) {
        const int end = blocks.from_root ? sender : receiver;
        const int other = blocks.from_root ? receiver : sender;
        if (end == blocks.root) message.bytes += blocks.bytes[static_cast<std::size_t>(other)];
        begins_.push_back(message.bytes);
      }
    }
  };
  std::uint64_t largest_bytes = 0;
  for (const std::vector<int>& others : groups_) {
    add_message(sent_, own_ranks(), others);
    add_message(received_, others, own_ranks());
    std::uint64_t bytes = 0;
    for (const int rank : others) bytes += blocks.bytes[static_cast<std::size_t>(rank)];
    largest_bytes = std::max(largest_bytes, bytes);
  }
  divide(largest_bytes, segment_bytes);
}

void NodeExchange::divide(std::uint64_t largest_bytes, std::uint64_t segment_bytes) {
  part_bytes_ = bytes_of_part(largest_bytes, segment_bytes);
  first_steps_ = {0};
  for (std::size_t round = 1; round <= groups_.size(); ++round) {
    const std::uint64_t most = std::max(sent_[to_in(round)].bytes, received_[from_in(round)].bytes);
    first_steps_.push_back(first_steps_.back() + divide_up(most, part_bytes_));
  }
  slot_bytes_ = aligned(part_bytes_);
  window_ = window_of(slot_bytes_, steps());
  slots_ = std::min(2 * window_ + 1, steps());
}

std::uint64_t NodeExchange::memory_bytes_max(std::uint64_t all_bytes, std::uint64_t segment_bytes) {
  const std::uint64_t slot_bytes = aligned(bytes_of_part(all_bytes, segment_bytes));
  return 2 * (2 * window_of(slot_bytes, kWindowMax) + 1) * slot_bytes;
}

std::size_t NodeExchange::to_in(std::size_t round) const {
  return (own_group_ + round) % groups_.size();
}

std::size_t NodeExchange::from_in(std::size_t round) const {
  return (own_group_ + groups_.size() - round) % groups_.size();
}

ExchangeStep NodeExchange::step(std::uint64_t index) const {
  const auto next = std::ranges::upper_bound(first_steps_, index);
  const auto round = static_cast<std::size_t>(next - first_steps_.begin());  // the last is local
  const std::uint64_t part = index - *(next - 1);
  ExchangeStep step{.to = to_in(round), .from = from_in(round), .offset = part * part_bytes_};
  const auto bytes_and_left = [&](std::uint64_t all_bytes, std::uint64_t* left) -> std::uint64_t {
    if (all_bytes <= step.offset) return 0;
    *left = divide_up(all_bytes, part_bytes_) - 1 - part;
    return std::min(part_bytes_, all_bytes - step.offset);
  };
  step.sent_bytes = bytes_and_left(sent_[step.to].bytes, &step.sends_left);
  step.received_bytes = bytes_and_left(received_[step.from].bytes, &step.receives_left);
  step.is_local = round == groups_.size();
  return step;
}

// Messages without bytes may have no blocks.
NodeExchange::Given NodeExchange::given(const ExchangeStep& step, std::size_t member) const {
  if (step.sent_bytes == 0) return {};
  const Message& message = sent_[step.to];
  const std::size_t receivers = groups_[step.to].size();
  const Overlap own(begin_of(message, member * receivers),
                    begin_of(message, (member + 1) * receivers), step.offset, step.sent_bytes);
  if (own.bytes() == 0) return {};
  return {.offset = own.begin - step.offset, .bytes = own.bytes()};
}

void NodeExchange::give(const ExchangeStep& step, std::size_t member, const SentBlocks& from,
                        std::byte* given) const {
  if (step.sent_bytes == 0) return;
  const Message& message = sent_[step.to];
  std::size_t block = member * groups_[step.to].size();
  for (const int rank : groups_[step.to]) {
    const std::uint64_t begin = begin_of(message, block), end = begin_of(message, ++block);
    const Overlap piece(begin, end, step.offset, step.sent_bytes);
    if (piece.bytes() == 0) continue;
    std::memcpy(given, from.of(rank) + (piece.begin - begin), piece.bytes());
    given += piece.bytes();
  }
}

// Calls copy(rank, offset in its block, offset in the part, bytes).
template <class Copy>
void NodeExchange::for_each_taken(const ExchangeStep& step, std::size_t member, Copy&& copy) const {
  if (step.received_bytes == 0) return;
  const Message& message = received_[step.from];
  std::size_t block = member;
  for (const int rank : groups_[step.from]) {
    const std::uint64_t begin = begin_of(message, block);
    const Overlap piece(begin, begin_of(message, block + 1), step.offset, step.received_bytes);
    if (piece.bytes() > 0) {
      copy(rank, piece.begin - begin, piece.begin - step.offset, piece.bytes());
    }
    block += own_ranks().size();
  }
}

std::uint64_t NodeExchange::taken_bytes(const ExchangeStep& step, std::size_t member) const {
  std::uint64_t all_bytes = 0;
  for_each_taken(step, member, [&](int, std::uint64_t, std::uint64_t, std::uint64_t bytes) {
    all_bytes += bytes;
  });
  return all_bytes;
}

void NodeExchange::take(const ExchangeStep& step, std::size_t member, const std::byte* part,
                        const ReceivedBlocks& to) const {
  for_each_taken(step, member,
                 [&](int rank, std::uint64_t in_block, std::uint64_t in_part, std::uint64_t bytes) {
                   std::memcpy(to.of(rank) + in_block, part + in_part, bytes);
                 });
}

void NodeExchange::pick(const ExchangeStep& step, std::size_t member, const std::byte* part,
                        std::byte* picked) const {
  for_each_taken(step, member, [&](int, std::uint64_t, std::uint64_t in_part, std::uint64_t bytes) {
    std::memcpy(picked, part + in_part, bytes);
    picked += bytes;
  });
}

void NodeExchange::take_picked(const ExchangeStep& step, std::size_t member,
                               const std::byte* picked, const ReceivedBlocks& to) const {
  for_each_taken(step, member,
                 [&](int rank, std::uint64_t in_block, std::uint64_t, std::uint64_t bytes) {
                   std::memcpy(to.of(rank) + in_block, picked, bytes);
                   picked += bytes;
                 });
}

}  // namespace nmt::collectives
