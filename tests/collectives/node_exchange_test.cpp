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

// Sizes of blocks, by sender and receiver.
using Matrix = std::vector<std::vector<std::uint64_t>>;

struct Case {
  std::vector<std::size_t> sizes;
  std::uint64_t block_bytes;
  std::uint64_t segment_bytes;
};

// The blocks of a rank, to send or to receive, one after the other.
class Blocks {
 public:
  Blocks(const Matrix& matrix, int rank, bool received)
      : matrix_(matrix), rank_(rank), received_(received) {
    for (std::size_t other = 0; other < matrix.size(); ++other) ends_.push_back(end(other));
    bytes_.resize(ends_.back());
    std::byte* place = bytes_.data();
    for (std::size_t other = 0; other < matrix.size(); ++other) {
      places_.push_back(place);
      sent_places_.push_back(place);
      place += size(other);
    }
  }
  Blocks(const Blocks&) = delete;
  void fill() {
    for (std::size_t other = 0; other < matrix_.size(); ++other) {
      const int peer = static_cast<int>(other);
      for (std::uint64_t at = 0; at < size(other); ++at) {
        places_[other][at] = received_ ? content(peer, rank_, at) : content(rank_, peer, at);
      }
    }
  }
  SentBlocks sent() const { return {.places = sent_places_.data()}; }
  ReceivedBlocks received() const { return {.places = places_.data()}; }
  const Bytes& bytes() const { return bytes_; }

 private:
  std::uint64_t size(std::size_t other) const {
    const auto self = static_cast<std::size_t>(rank_);
    return received_ ? matrix_[other][self] : matrix_[self][other];
  }
  std::uint64_t end(std::size_t other) const {
    return (other == 0 ? 0 : ends_[other - 1]) + size(other);
  }

  const Matrix& matrix_;
  int rank_;
  bool received_;
  std::vector<std::uint64_t> ends_;
  Bytes bytes_;
  std::vector<std::byte*> places_;
  std::vector<const std::byte*> sent_places_;
};

Bytes all_that_arrives(const Matrix& matrix, int rank) {
  Blocks blocks(matrix, rank, true);
  blocks.fill();
  return blocks.bytes();
}

enum class Kind { kEqual, kUneven, kOneSends, kOnNodes, kNothing };
constexpr Kind kKinds[] = {Kind::kEqual, Kind::kUneven, Kind::kOneSends, Kind::kOnNodes,
                           Kind::kNothing};

Matrix matrix_of(Kind kind, const Groups& groups, std::uint64_t block_bytes) {
  const auto ranks = static_cast<std::size_t>(ranks_in(groups));
  Matrix matrix(ranks, std::vector<std::uint64_t>(ranks, 0));
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::uint64_t uneven = block_bytes * ((from * 7 + to * 3) % 5) / 2;
      matrix[from][to] = kind == Kind::kEqual      ? block_bytes
                         : kind == Kind::kUneven   ? uneven
                         : kind == Kind::kOneSends ? (from == ranks / 2 ? uneven : 0)
                                                   : 0;
    }
  }
  for (const std::vector<int>& group : groups) {
    if (kind != Kind::kOnNodes) break;
    for (const int from : group) {
      for (const int to : group) {
        matrix[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = block_bytes;
      }
    }
  }
  return matrix;
}

std::uint64_t sum_of(const Matrix& matrix) {
  std::uint64_t sum = 0;
  for (const auto& row : matrix) sum = std::accumulate(row.begin(), row.end(), sum);
  return sum;
}

// What a member of a group knows of itself.
std::vector<std::uint64_t> row_of(const Matrix& matrix, int rank) {
  const auto self = static_cast<std::size_t>(rank);
  std::vector<std::uint64_t> row = matrix[self];
  for (const auto& other : matrix) row.push_back(other[self]);
  return row;
}

NodeExchange exchange_of(const Groups& groups, std::size_t group, const Matrix& matrix,
                         std::uint64_t segment_bytes) {
  std::vector<std::uint64_t> rows;
  for (const int rank : groups[group]) {
    const std::vector<std::uint64_t> row = row_of(matrix, rank);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return {groups, group, rows, sum_of(matrix), segment_bytes};
}

const Case kCases[] = {{{1}, 5, 0},           {{3}, 1000, 0},           {{1, 1}, 1, 0},
                       {{2, 2}, 1000, 64},    {{4, 4, 4}, 4096, 0},     {{4, 1, 3}, 999, 160},
                       {{3, 1, 2, 5}, 70, 1}, {{2, 2}, 300'000, 65536}, {{1, 2}, 3'000'000, 0}};

std::string name_of(const Case& each) {
  std::string text = std::to_string(each.block_bytes) + " B by " +
                     std::to_string(each.segment_bytes) + " B, groups of";
  for (const std::size_t size : each.sizes) text += " " + std::to_string(size);
  return text;
}

// Without slots: what every message holds, and that each rank gets all. In one go for each group,
// since groups may have unequal numbers of steps.
void expect_all_arrives(const Groups& groups, const Matrix& matrix,
                        const std::vector<NodeExchange>& exchanges) {
  std::deque<Blocks> from, to;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<Bytes>> messages;  // from, to
  for (int rank = 0; rank < ranks_in(groups); ++rank) {
    from.emplace_back(matrix, rank, false).fill();
    to.emplace_back(matrix, rank, true);
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const NodeExchange& exchange = exchanges[group];
    for (std::uint64_t i = 0; i < exchange.steps(); ++i) {
      const ExchangeStep step = exchange.step(i);
      Bytes part(step.sent_bytes);
      ASSERT_LE(part.size(), exchange.slot_bytes());
      for (std::size_t member = 0; member < groups[group].size(); ++member) {
        const auto [offset, bytes] = exchange.given(step, member);
        ASSERT_LE(offset + bytes, part.size());
        exchange.give(step, member, from[static_cast<std::size_t>(groups[group][member])].sent(),
                      part.data() + offset);
      }
      std::deque<Bytes>& channel = messages[{group, step.to}];
      if (!part.empty()) channel.push_back(std::move(part));
    }
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const NodeExchange& exchange = exchanges[group];
    for (std::uint64_t i = 0; i < exchange.steps(); ++i) {
      const ExchangeStep step = exchange.step(i);
      EXPECT_EQ(step.is_local, step.from == group);
      if (step.received_bytes == 0) continue;
      std::deque<Bytes>& channel = messages[{step.from, group}];
      ASSERT_FALSE(channel.empty());
      ASSERT_EQ(channel.front().size(), step.received_bytes);
      ASSERT_EQ(channel.size() - 1, step.receives_left);
      for (std::size_t member = 0; member < groups[group].size(); ++member) {
        Blocks& own = to[static_cast<std::size_t>(groups[group][member])];
        const std::byte* part = channel.front().data();
        if (i % 2 == 0) {
          exchange.take(step, member, part, own.received());
          continue;
        }
        Bytes picked(exchange.taken_bytes(step, member));
        exchange.pick(step, member, part, picked.data());
        exchange.take_picked(step, member, picked.data(), own.received());
      }
      channel.pop_front();
    }
  }
  for (const auto& [pair, channel] : messages) EXPECT_TRUE(channel.empty());
  for (int rank = 0; rank < ranks_in(groups); ++rank) {
    EXPECT_EQ(to[static_cast<std::size_t>(rank)].bytes(), all_that_arrives(matrix, rank))
        << "rank " << rank;
  }
}

TEST(NodeExchange, EveryBlockArrives) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(name_of(each));
    const Groups groups = groups_of(each.sizes);
    std::vector<NodeExchange> exchanges;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      exchanges.emplace_back(groups, group, each.block_bytes, each.segment_bytes);
    }
    expect_all_arrives(groups, matrix_of(Kind::kEqual, groups, each.block_bytes), exchanges);
  }
}

TEST(NodeExchange, EveryBlockOfAnUnequalMatrixArrives) {
  for (const Case& each : kCases) {
    for (const Kind kind : kKinds) {
      SCOPED_TRACE(name_of(each) + ", matrix " + std::to_string(static_cast<int>(kind)));
      const Groups groups = groups_of(each.sizes);
      const Matrix matrix = matrix_of(kind, groups, each.block_bytes);
      std::vector<NodeExchange> exchanges;
      for (std::size_t group = 0; group < groups.size(); ++group) {
        exchanges.push_back(exchange_of(groups, group, matrix, each.segment_bytes));
      }
      expect_all_arrives(groups, matrix, exchanges);
    }
  }
}

// Blocks from one rank to all, or from all to it.
TEST(NodeExchange, EveryBlockFromARootOrToItArrives) {
  for (const Case& each : kCases) {
    const Groups groups = groups_of(each.sizes);
    const auto ranks = static_cast<std::size_t>(ranks_in(groups));
    for (std::size_t root = 0; root < ranks; ++root) {
      for (const bool from_root : {false, true}) {
        SCOPED_TRACE(name_of(each) + (from_root ? ", from " : ", to ") + std::to_string(root));
        RootedBlocks blocks{.root = static_cast<int>(root), .from_root = from_root, .bytes = {}};
        Matrix matrix(ranks, std::vector<std::uint64_t>(ranks, 0));
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          blocks.bytes.push_back(rank == root ? 0 : each.block_bytes * (rank % 4) / 2);
          matrix[from_root ? root : rank][from_root ? rank : root] = blocks.bytes.back();
        }
        std::vector<NodeExchange> exchanges;
        for (std::size_t group = 0; group < groups.size(); ++group) {
          exchanges.emplace_back(groups, group, blocks, each.segment_bytes);
        }
        expect_all_arrives(groups, matrix, exchanges);
      }
    }
  }
}

// Of which equal blocks are a special case.
TEST(NodeExchange, AnEqualMatrixGivesTheSameSteps) {
  const Groups groups = groups_of({4, 4, 4});
  const NodeExchange equal(groups, 1, 5000, 16384);
  const NodeExchange by_matrix =
      exchange_of(groups, 1, matrix_of(Kind::kEqual, groups, 5000), 16384);
  ASSERT_EQ(equal.steps(), by_matrix.steps());
  for (std::uint64_t i = 0; i < equal.steps(); ++i) {
    EXPECT_EQ(equal.step(i).offset, by_matrix.step(i).offset);
    EXPECT_EQ(equal.step(i).sent_bytes, by_matrix.step(i).sent_bytes);
    EXPECT_EQ(equal.given(equal.step(i), 3).bytes, by_matrix.given(by_matrix.step(i), 3).bytes);
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
        const std::uint64_t all_bytes = 16 * ranks * ranks * block_bytes;
        EXPECT_LE(memory_bytes, NodeExchange::memory_bytes_max(all_bytes, segment_bytes));
      }
    }
  }
}

TEST(NodeExchange, DividesMessagesAsTheSegmentSays) {
  const NodeExchange exchange(groups_of({4, 4}), 0, 4096, 16384);  // 64 KiB for the other group
  EXPECT_EQ(exchange.steps(), 8u);
  EXPECT_EQ(exchange.step(0).sent_bytes, 16384u);
  EXPECT_EQ(exchange.step(0).sends_left, 3u);
  EXPECT_EQ(exchange.step(3).receives_left, 0u);
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

// Each rank is a thread. Operations follow each other as in
// collectives/mpi/algorithms/alltoall.cpp; members tell each other their rows.
void exchange_by_threads(const Groups& groups, const Matrix& matrix, std::uint64_t segment_bytes,
                         bool attach) {
  const WaitPolicy waiting;
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
    const int rank = groups[group][member];
    const int leader = static_cast<int>(pids.size()) - 1;
    const std::uint64_t all_bytes = sum_of(matrix);
    Blocks from(matrix, rank, false);
    from.fill();
    for (int turn = 0; turn < 3; ++turn) {
      Blocks to(matrix, rank, true);
      const std::vector<std::uint64_t> row = row_of(matrix, rank);
      shared_memory.check_same_size(all_bytes, waiting);
      ASSERT_TRUE(shared_memory.allocate_areas(
          SharedExchange::area_bytes(NodeExchange::memory_bytes_max(all_bytes, segment_bytes),
                                     pids.size(), row.size()),
          waiting));
      const NodeExchange exchange(groups, group, share_rows(shared_memory, row, waiting), all_bytes,
                                  segment_bytes);
      if (exchange.steps() == 0) continue;
      SharedExchange shared(shared_memory, exchange, from.sent(), to.received(), leader, waiting);
      if (self == leader) {
        OnFakeNetwork own(network, exchange, group);
        lead(exchange, shared, own);
      } else {
        follow(exchange, shared);
      }
      EXPECT_EQ(to.bytes(), all_that_arrives(matrix, rank)) << "rank " << rank;
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
    const Groups groups = groups_of(each.sizes);
    bool attach = false;
    for (const Kind kind : kKinds) {
      SCOPED_TRACE(name_of(each) + ", matrix " + std::to_string(static_cast<int>(kind)));
      const Matrix matrix = matrix_of(kind, groups, each.block_bytes);
      exchange_by_threads(groups, matrix, each.segment_bytes, attach);
      attach = !attach;
    }
    exchange_by_threads(groups, matrix_of(Kind::kUneven, groups, each.block_bytes),
                        each.segment_bytes, false);
  }
}

}  // namespace
}  // namespace nmt::collectives
