// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/node_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nmt::collectives {
namespace {

constexpr std::uint64_t kAlignment = 64;           // of parts and slots: a cache line
constexpr std::uint64_t kWindowBytes = 256 << 10;  // on the wire; stays in a cache
constexpr std::uint64_t kWindowMax = 64;           // messages of one leader

std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

}  // namespace

NodeExchange::NodeExchange(std::vector<std::vector<int>> groups, std::size_t own_group,
                           std::uint64_t block_bytes, std::uint64_t segment_bytes)
    : groups_(std::move(groups)), own_group_(own_group), block_bytes_(block_bytes) {
  std::uint64_t most = 0;
  for (const std::vector<int>& ranks : groups_) most = std::max<std::uint64_t>(most, ranks.size());
  const std::uint64_t message_bytes =
      segment_bytes == 0 ? kMessageBytesMax : std::min(segment_bytes, kMessageBytesMax);
  part_bytes_ = std::clamp<std::uint64_t>(message_bytes / (most * most), 1, block_bytes);
  if (part_bytes_ < block_bytes && part_bytes_ > kAlignment) {
    part_bytes_ = part_bytes_ / kAlignment * kAlignment;
  }
  parts_ = divide_up(block_bytes, part_bytes_);
  slot_bytes_ = divide_up(most * most * part_bytes_, kAlignment) * kAlignment;
  const std::uint64_t most_ahead = std::min(kWindowMax, steps());
  window_ = std::clamp<std::uint64_t>(kWindowBytes / slot_bytes_, 1, most_ahead);
  slots_ = std::min(2 * window_ + 1, steps());
}

ExchangeStep NodeExchange::step(std::uint64_t index) const {
  const std::size_t groups = groups_.size();
  const auto round = static_cast<std::size_t>(index / parts_) + 1;  // the last one is local
  const std::uint64_t part = index % parts_;
  ExchangeStep step;
  step.to = (own_group_ + round) % groups;
  step.from = (own_group_ + groups - round) % groups;
  step.offset = part * part_bytes_;
  step.bytes = std::min(part_bytes_, block_bytes_ - step.offset);
  step.left = parts_ - 1 - part;
  step.is_local = round == groups;
  return step;
}

std::uint64_t NodeExchange::given_bytes(const ExchangeStep& step) const {
  return groups_[step.to].size() * step.bytes;
}

std::uint64_t NodeExchange::taken_bytes(const ExchangeStep& step) const {
  return groups_[step.from].size() * step.bytes;
}

std::uint64_t NodeExchange::sent_bytes(const ExchangeStep& step) const {
  return own_ranks().size() * given_bytes(step);
}

std::uint64_t NodeExchange::received_bytes(const ExchangeStep& step) const {
  return own_ranks().size() * taken_bytes(step);
}

void NodeExchange::give(const ExchangeStep& step, const std::byte* from, std::byte* given) const {
  for (const int rank : groups_[step.to]) {
    const std::byte* block = from + static_cast<std::uint64_t>(rank) * block_bytes_;
    std::memcpy(given, block + step.offset, step.bytes);
    given += step.bytes;
  }
}

void NodeExchange::take(const ExchangeStep& step, const std::byte* taken, std::uint64_t stride,
                        std::byte* to) const {
  for (const int rank : groups_[step.from]) {
    std::byte* block = to + static_cast<std::uint64_t>(rank) * block_bytes_;
    std::memcpy(block + step.offset, taken, step.bytes);
    taken += stride;
  }
}

}  // namespace nmt::collectives
