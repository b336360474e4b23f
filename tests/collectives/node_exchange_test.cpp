// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls between groups of ranks, over a network that is only memory: each rank must get from
// each other what that one has for it.
#include "collectives/node_exchange.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "collectives/group_exchange.h"

namespace nmt::collectives {
namespace {

using Groups = std::vector<std::vector<int>>;
using Bytes = std::vector<std::byte>;

// Ranks dealt out to groups of these sizes, by turns.
Groups groups_of(const std::vector<std::size_t>& sizes) {
  Groups groups(sizes.size());
  const std::size_t ranks = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  for (std::size_t rank = 0, group = 0; rank < ranks; ++group) {
    if (groups[group % groups.size()].size() == sizes[group % groups.size()]) continue;
    groups[group % groups.size()].push_back(static_cast<int>(rank++));
  }
  return groups;
}

int ranks_in(const Groups& groups) {
  std::size_t ranks = 0;
  for (const std::vector<int>& group : groups) ranks += group.size();
  return static_cast<int>(ranks);
}

std::byte content(int from, int to, std::uint64_t at) {
  return static_cast<std::byte>(from * 31 + to * 7 + static_cast<int>(at % 251) * 3);
}

// What a rank sends, or what it must receive.
Bytes blocks(int rank, int ranks, std::uint64_t block_bytes, bool received) {
  Bytes all;
  for (int other = 0; other < ranks; ++other) {
    for (std::uint64_t at = 0; at < block_bytes; ++at) {
      all.push_back(received ? content(other, rank, at) : content(rank, other, at));
    }
  }
  return all;
}

struct Case {
  std::vector<std::size_t> sizes;
  std::uint64_t block_bytes;
  std::uint64_t segment_bytes;
};

const Case kCases[] = {{{1}, 5, 0},           {{3}, 1000, 0},           {{1, 1}, 1, 0},
                       {{2, 2}, 1000, 64},    {{4, 4, 4}, 4096, 0},     {{4, 1, 3}, 999, 160},
                       {{3, 1, 2, 5}, 70, 1}, {{2, 2}, 300'000, 65536}, {{1, 2}, 3'000'000, 0}};

std::string name_of(const Case& each) {
  std::string text = std::to_string(each.block_bytes) + " B by " +
                     std::to_string(each.segment_bytes) + " B, groups of";
  for (const std::size_t size : each.sizes) text += " " + std::to_string(size);
  return text;
}

// In step, without slots: what every message holds, and that each rank gets all.
TEST(NodeExchange, EveryBlockArrives) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(name_of(each));
    const Groups groups = groups_of(each.sizes);
    const int ranks = ranks_in(groups);
    std::vector<Bytes> from, to(static_cast<std::size_t>(ranks));
    std::vector<NodeExchange> exchanges;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      exchanges.emplace_back(groups, group, each.block_bytes, each.segment_bytes);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      from.push_back(blocks(rank, ranks, each.block_bytes, false));
      to[static_cast<std::size_t>(rank)].resize(from.back().size());
    }
    for (std::uint64_t i = 0; i < exchanges.front().steps(); ++i) {
      std::vector<Bytes> messages(groups.size());  // by receiver
      for (const NodeExchange& exchange : exchanges) {
        const ExchangeStep step = exchange.step(i);
        Bytes& message = messages[step.to];
        ASSERT_TRUE(message.empty()) << "two groups send to one";
        message.resize(exchange.sent_bytes(step));
        ASSERT_LE(message.size(), exchange.slot_bytes());
        for (std::size_t member = 0; member < exchange.own_ranks().size(); ++member) {
          exchange.give(step, from[static_cast<std::size_t>(exchange.own_ranks()[member])].data(),
                        message.data() + member * exchange.given_bytes(step));
        }
      }
      for (std::size_t group = 0; group < groups.size(); ++group) {
        const NodeExchange& exchange = exchanges[group];
        const ExchangeStep step = exchange.step(i);
        ASSERT_EQ(exchanges[step.from].step(i).to, group);
        ASSERT_EQ(exchange.received_bytes(step), messages[group].size());
        EXPECT_EQ(step.is_local, step.from == group);
        for (std::size_t member = 0; member < exchange.own_ranks().size(); ++member) {
          exchange.take(step, messages[group].data() + member * step.bytes,
                        step.bytes * exchange.own_ranks().size(),
                        to[static_cast<std::size_t>(exchange.own_ranks()[member])].data());
        }
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(to[static_cast<std::size_t>(rank)], blocks(rank, ranks, each.block_bytes, true))
          << "rank " << rank;
    }
  }
}

TEST(NodeExchange, BoundsItsMemoryWhateverTheNodesAndTheSizes) {
  for (const std::size_t ranks : {1u, 4u, 64u, 256u}) {
    for (const std::uint64_t block_bytes : {1u, 1000u, 1u << 20, 1u << 28}) {
      for (const std::uint64_t segment_bytes : {0u, 65536u, 1u << 30}) {
        const NodeExchange exchange(groups_of({ranks, ranks, ranks, ranks}), 0, block_bytes,
                                    segment_bytes);
        const std::uint64_t memory_bytes = 2 * exchange.slots() * exchange.slot_bytes();
        EXPECT_LE(memory_bytes, 6 * NodeExchange::kMessageBytesMax + (1 << 20)) << ranks;
        EXPECT_GE(exchange.slots(), std::min(exchange.steps(), exchange.window() + 1));
      }
    }
  }
}

TEST(NodeExchange, DividesMessagesAsTheSegmentSays) {
  const NodeExchange exchange(groups_of({4, 4}), 0, 4096, 16384);  // 64 KiB for the other group
  EXPECT_EQ(exchange.steps(), 8u);
  EXPECT_EQ(exchange.sent_bytes(exchange.step(0)), 16384u);
  EXPECT_EQ(exchange.step(0).left, 3u);
  EXPECT_EQ(exchange.step(3).left, 0u);
  EXPECT_TRUE(exchange.step(4).is_local);
}

// Messages that leave a group in order; a send is complete once it was received, as where an MPI
// does not buffer.
class FakeNetwork {
 public:
  // Returns its number.
  std::uint64_t send(std::size_t from, std::size_t to, std::span<const std::byte> message) {
    const std::lock_guard lock(mutex_);
    Channel& channel = channels_[{from, to}];
    channel.messages.push_back(message);
    changed_.notify_all();
    return channel.sent++;
  }
  void wait_sent(std::size_t from, std::size_t to, std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return channels_[{from, to}].received > number; });
  }
  void receive(std::size_t from, std::size_t to, std::span<std::byte> place) {
    std::unique_lock lock(mutex_);
    Channel& channel = channels_[{from, to}];
    changed_.wait(lock, [&] { return !channel.messages.empty(); });
    EXPECT_EQ(channel.messages.front().size(), place.size());
    std::ranges::copy(channel.messages.front(), place.begin());
    channel.messages.pop_front();
    ++channel.received;
    changed_.notify_all();
  }

 private:
  struct Channel {
    std::deque<std::span<const std::byte>> messages;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::size_t, std::size_t>, Channel> channels_;
};

class OnFakeNetwork : public ExchangeNetwork {
 public:
  OnFakeNetwork(FakeNetwork& network, const NodeExchange& exchange, std::size_t group)
      : network_(network),
        exchange_(exchange),
        group_(group),
        places_(exchange.slots()),
        numbers_(exchange.slots()) {}
  void send(std::uint64_t step, std::span<const std::byte> message) override {
    numbers_[step % numbers_.size()] = network_.send(group_, exchange_.step(step).to, message);
  }
  void receive(std::uint64_t step, std::span<std::byte> place) override {
    places_[step % places_.size()] = place;
  }
  void wait_sent(std::uint64_t step) override {
    network_.wait_sent(group_, exchange_.step(step).to, numbers_[step % numbers_.size()]);
  }
  void wait_received(std::uint64_t step) override {
    network_.receive(exchange_.step(step).from, group_, places_[step % places_.size()]);
  }

 private:
  FakeNetwork& network_;
  const NodeExchange& exchange_;
  std::size_t group_;
  std::vector<std::span<std::byte>> places_;
  std::vector<std::uint64_t> numbers_;
};

// Each rank is a thread. Operations follow each other as in collectives/mpi/alltoall.cpp.
void exchange_by_threads(const Case& each, bool attach) {
  const WaitPolicy waiting;
  const Groups groups = groups_of(each.sizes);
  const int ranks = ranks_in(groups);
  FakeNetwork network;
  std::vector<std::unique_ptr<std::barrier<>>> barriers;
  std::vector<std::vector<node::LocalListener>> listeners;
  for (const std::vector<int>& group : groups) {
    barriers.push_back(std::make_unique<std::barrier<>>(static_cast<std::ptrdiff_t>(group.size())));
    listeners.emplace_back(group.size());
  }
  const auto act = [&](std::size_t group, int self) {
    const auto member = static_cast<std::size_t>(self);
    const std::vector<pid_t> pids(groups[group].size(), ::getpid());
    std::optional<node::SharedSegment> slots;
    if (self == 0) {
      std::vector<std::string> addresses;
      for (const node::LocalListener& listener : listeners[group])
        addresses.push_back(listener.address());
      slots.emplace(NodeSharedMemory::make_slots(pids.size()));
      NodeSharedMemory::send_slots(*slots, pids, addresses);
    } else {
      slots.emplace(NodeSharedMemory::receive_slots(listeners[group][member], pids));
    }
    NodeSharedMemory shared_memory(std::move(*slots), self, pids);
    shared_memory.publish_process();
    barriers[group]->arrive_and_wait();
    shared_memory.try_pairs(attach);
    barriers[group]->arrive_and_wait();
    const NodeExchange exchange(groups, group, each.block_bytes, each.segment_bytes);
    const int rank = exchange.own_ranks()[member];
    const int leader = static_cast<int>(pids.size()) - 1;
    const Bytes from = blocks(rank, ranks, each.block_bytes, false);
    for (int turn = 0; turn < 3; ++turn) {
      Bytes to(from.size());
      shared_memory.check_same_size(each.block_bytes, waiting);
      ASSERT_TRUE(shared_memory.allocate_areas(SharedExchange::area_bytes(exchange), waiting));
      SharedExchange shared(shared_memory, exchange, from.data(), to.data(), leader, waiting);
      if (self == leader) {
        OnFakeNetwork own(network, exchange, group);
        lead(exchange, shared, own);
      } else {
        follow(exchange, shared);
      }
      EXPECT_EQ(to, blocks(rank, ranks, each.block_bytes, true)) << "rank " << rank;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (int self = 0; self < static_cast<int>(groups[group].size()); ++self) {
      threads.emplace_back(act, group, self);
    }
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(GroupExchange, EveryBlockArrivesThroughSharedMemory) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(name_of(each));
    for (const bool attach : {true, false}) exchange_by_threads(each, attach);
  }
}

}  // namespace
}  // namespace nmt::collectives
