// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/node_shared_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>

namespace nmt::collectives {
namespace {

constexpr std::size_t kAreaBytes = 4096;
const WaitPolicy kWaiting;  // crowded

// Members that are threads: what they may read of each other is what a process may of its own
// memory.
class Members {
 public:
  explicit Members(int members) : members_(members), all_(members) {}

  // Each in memory that they share, by copies out of each other's memory or through areas.
  void in_shared_memory(bool attach, const std::function<void(NodeSharedMemory&)>& act) {
    const std::vector<pid_t> pids(static_cast<std::size_t>(members_), ::getpid());
    std::vector<node::LocalListener> listeners(pids.size());
    std::vector<std::string> addresses;
    for (const node::LocalListener& listener : listeners) addresses.push_back(listener.address());
    std::vector<std::thread> threads;
    for (int self = 0; self < members_; ++self) {
      threads.emplace_back([&, self] {
        std::optional<node::SharedSegment> slots;
        if (self == 0) {
          slots.emplace(NodeSharedMemory::make_slots(pids.size()));
          NodeSharedMemory::send_slots(*slots, pids, addresses);
        } else {
          slots.emplace(
              NodeSharedMemory::receive_slots(listeners[static_cast<std::size_t>(self)], pids));
        }
        NodeSharedMemory shared_memory(std::move(*slots), self, pids);
        shared_memory.publish_process();
        all_.arrive_and_wait();
        shared_memory.try_pairs(attach);
        all_.arrive_and_wait();
        act(shared_memory);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int members_;
  std::barrier<> all_;
};

std::vector<int> others_of(const NodeSharedMemory& shared_memory) {
  std::vector<int> others(static_cast<std::size_t>(shared_memory.members()));
  std::iota(others.begin(), others.end(), 0);
  std::erase(others, shared_memory.self());
  return others;
}

std::vector<std::byte> stream_of(int owner, std::size_t bytes) {
  std::vector<std::byte> stream(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    stream[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(owner));
  }
  return stream;
}

// By each member in turn, piece by piece, of more than an area holds.
TEST(NodeSharedMemory, AllGetWhatOneShows) {
  constexpr std::size_t kBytes = 3 * kAreaBytes + 5, kPiece = 1000;
  for (const bool attach : {true, false}) {
    Members(4).in_shared_memory(attach, [&](NodeSharedMemory& shared_memory) {
      ASSERT_TRUE(shared_memory.all_can_read() ||
                  shared_memory.allocate_areas(kAreaBytes, kWaiting));
      for (int owner = 0; owner < shared_memory.members(); ++owner) {
        const std::vector<std::byte> data = stream_of(owner, kBytes);
        std::vector<std::byte> got(kBytes);
        shared_memory.begin();
        if (shared_memory.self() == owner)
          shared_memory.begin_stream(data.data(), others_of(shared_memory));
        for (std::size_t at = 0; at < kBytes; at += kPiece) {
          const std::size_t bytes = std::min(kPiece, kBytes - at);
          if (shared_memory.self() == owner) {
            shared_memory.publish(at + bytes, std::span(data).subspan(at, bytes), kWaiting);
          } else {
            shared_memory.fetch(owner, at, at, std::span(got).subspan(at, bytes), kWaiting);
          }
        }
        if (shared_memory.self() == owner) {
          shared_memory.wait_for_readers(kWaiting);
        } else {
          shared_memory.leave(owner, kWaiting);
          EXPECT_EQ(got, data);
        }
      }
    });
  }
}

TEST(NodeSharedMemory, NumbersMillionsOfOperations) {
  for (const bool attach : {true, false}) {
    Members(3).in_shared_memory(attach, [&](NodeSharedMemory& shared_memory) {
      ASSERT_TRUE(shared_memory.all_can_read() ||
                  shared_memory.allocate_areas(kAreaBytes, kWaiting));
      const std::vector<std::byte> data = stream_of(0, 100);
      for (int turn = 0; turn < 5; ++turn) {
        for (int i = 0; i < (1 << 23); ++i) shared_memory.begin();
        shared_memory.renumber(kWaiting);
        shared_memory.begin();
        std::vector<std::byte> got(data.size());
        if (shared_memory.self() == 0) {
          shared_memory.begin_stream(data.data(), others_of(shared_memory));
          shared_memory.publish(data.size(), data, kWaiting);
          shared_memory.wait_for_readers(kWaiting);
        } else {
          shared_memory.fetch(0, 0, 0, got, kWaiting);
          shared_memory.leave(0, kWaiting);
          EXPECT_EQ(got, data);
        }
      }
    });
  }
}

TEST(NodeSharedMemory, WhoMayReadWhomIsTried) {
  std::uint64_t from = 1, to = 0;
  const iovec theirs{&from, sizeof from}, own{&to, sizeof to};
  const bool allowed = ::process_vm_readv(::getpid(), &own, 1, &theirs, 1, 0) == sizeof to;
  Members(3).in_shared_memory(true, [&](NodeSharedMemory& shared_memory) {
    EXPECT_EQ(shared_memory.all_can_read(), allowed);
  });
  Members(3).in_shared_memory(
      false, [](NodeSharedMemory& shared_memory) { EXPECT_FALSE(shared_memory.all_can_read()); });
}

// Its owner waits for no reader that has left with what it wanted.
TEST(NodeSharedMemory, WhoExpectsLessThanThereIsGetsTheFirstBytes) {
  const std::vector<std::byte> data = stream_of(0, 5 * kAreaBytes);
  for (const bool attach : {true, false}) {
    Members(3).in_shared_memory(attach, [&](NodeSharedMemory& shared_memory) {
      ASSERT_TRUE(shared_memory.all_can_read() ||
                  shared_memory.allocate_areas(kAreaBytes, kWaiting));
      shared_memory.begin();
      if (shared_memory.self() == 0) {
        shared_memory.begin_stream(data.data(), others_of(shared_memory));
        shared_memory.publish(data.size(), data, kWaiting);
        shared_memory.wait_for_readers(kWaiting);
        return;
      }
      std::vector<std::byte> got(shared_memory.self() == 1 ? data.size() : 100);
      shared_memory.fetch(0, 0, 0, got, kWaiting);
      shared_memory.leave(0, kWaiting);
      EXPECT_TRUE(std::ranges::equal(got, std::span(data).first(got.size())));
    });
  }
}

TEST(NodeSharedMemory, WhoExpectsMoreThanThereIsGetsWhatThereIs) {
  for (const bool attach : {true, false}) {
    Members(2).in_shared_memory(attach, [&](NodeSharedMemory& shared_memory) {
      const std::vector<std::byte> data(100, std::byte{7});
      std::vector<std::byte> got(101);
      ASSERT_TRUE(shared_memory.all_can_read() ||
                  shared_memory.allocate_areas(kAreaBytes, kWaiting));
      shared_memory.begin();
      if (shared_memory.self() == 0) {
        shared_memory.begin_stream(data.data(), {1});
        shared_memory.publish(data.size(), data, kWaiting);
        shared_memory.wait_for_readers(kWaiting);
      } else {
        EXPECT_EQ(shared_memory.fetch(0, 0, 0, got, kWaiting), data.size());
        EXPECT_EQ(shared_memory.fetch(0, 150, 150, got, kWaiting), 0u);
        shared_memory.leave(0, kWaiting);
        EXPECT_TRUE(std::ranges::equal(data, std::span(got).first(data.size())));
        EXPECT_EQ(got.back(), std::byte{0});
      }
    });
  }
}

TEST(NodeSharedMemory, AllHearOfItWhereOneSaysAnotherNumber) {
  Members(3).in_shared_memory(true, [&](NodeSharedMemory& shared_memory) {
    for (const std::uint64_t bytes : {5u, 6u, 7u})
      EXPECT_NO_THROW(shared_memory.check_same_size(bytes, kWaiting));
    EXPECT_THROW(shared_memory.check_same_size(shared_memory.self() == 2 ? 9 : 8, kWaiting),
                 std::exception);
    EXPECT_NO_THROW(shared_memory.check_same_size(8, kWaiting));
  });
}

TEST(NodeSharedMemory, AreasAreAlignedForAnyTypeAndGrow) {
  Members(3).in_shared_memory(false, [&](NodeSharedMemory& shared_memory) {
    ASSERT_TRUE(shared_memory.allocate_areas(999, kWaiting));
    EXPECT_GE(shared_memory.area(shared_memory.self()).size(), 999u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shared_memory.area(shared_memory.self()).data()) %
                  alignof(std::max_align_t),
              0u);
    const std::byte* before = shared_memory.area(0).data();
    ASSERT_TRUE(shared_memory.allocate_areas(500, kWaiting));
    EXPECT_EQ(shared_memory.area(0).data(), before);
    ASSERT_TRUE(shared_memory.allocate_areas(100'000, kWaiting));
    EXPECT_GE(shared_memory.area(shared_memory.self()).size(), 100'000u);
  });
}

TEST(NodeSharedMemory, WithoutMemoryNoneHasAreas) {
  constexpr std::size_t kLimitBytes = 1 << 20;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{.rlim_cur = kLimitBytes, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Members(3).in_shared_memory(false, [&](NodeSharedMemory& shared_memory) {
    EXPECT_FALSE(shared_memory.allocate_areas(kLimitBytes, kWaiting));
    EXPECT_FALSE(shared_memory.allocate_areas(2 * kLimitBytes, kWaiting));
    EXPECT_TRUE(shared_memory.allocate_areas(kAreaBytes, kWaiting));
  });
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
}

// Members that are not waited for run ahead; each collects, gives and shows by turns.
TEST(NodeSharedMemory, ShortMessagesAreReadBeforeTheNextOnesAreWritten) {
  constexpr int kTurns = 2000;
  constexpr std::size_t kMembers = 4;
  const auto message = [](int member, int turn) {
    const std::size_t bytes = turn % 101 == 0 ? NodeSharedMemory::kShortBytesMax
                                              : 8 + static_cast<std::size_t>(std::abs(turn) % 3);
    return stream_of(1000 * turn + member, bytes);
  };
  const auto same = [](std::span<const std::byte> some, const std::vector<std::byte>& others) {
    return std::ranges::equal(some, others);
  };
  Members(kMembers).in_shared_memory(false, [&](NodeSharedMemory& shared_memory) {
    const int self = shared_memory.self();
    int wrong = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      const int collector = turn / 3 % static_cast<int>(kMembers);
      const int owner = turn / 5 % static_cast<int>(kMembers);
      if (turn % 7 != 0 && self == collector) {
        shared_memory.wait_until_given(kWaiting);
        for (const int member : others_of(shared_memory)) {
          wrong += same(shared_memory.given_by(member), message(member, turn)) ? 0 : 1;
        }
        shared_memory.collected();
      } else if (turn % 7 != 0) {
        shared_memory.give(message(self, turn), collector, kWaiting);
      }
      if (turn % 2 == 0) continue;
      const std::vector<std::byte> shown = message(owner, -turn);
      std::vector<std::byte> taken(shown.size());
      if (self == owner) {
        shared_memory.show(shown, kWaiting);
      } else {
        wrong += shared_memory.take(owner, taken, kWaiting) == shown.size() ? 0 : 1;
        wrong += same(taken, shown) ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong, 0);
  });
}

TEST(NodeSharedMemory, OfAShortMessageThatIsTooLongTheFirstBytesAreTaken) {
  Members(2).in_shared_memory(true, [&](NodeSharedMemory& shared_memory) {
    const std::vector<std::byte> shown = stream_of(0, 100);
    std::vector<std::byte> taken(60);
    if (shared_memory.self() == 0) return shared_memory.show(shown, kWaiting);
    EXPECT_EQ(shared_memory.take(0, taken, kWaiting), shown.size());
    EXPECT_TRUE(std::equal(taken.begin(), taken.end(), shown.begin()));
  });
}

// What one member does to a segment waits for what the others did before.
TEST(NodeSharedMemory, WorkGoesFromMemberToMember) {
  constexpr std::uint64_t kSegments = 500;
  constexpr std::size_t kMembers = 3;
  std::array<std::atomic<std::uint64_t>, kMembers> done{};
  Members(kMembers).in_shared_memory(false, [&](NodeSharedMemory& shared_memory) {
    const auto self = static_cast<std::size_t>(shared_memory.self());
    shared_memory.begin();
    for (std::uint64_t i = 1; i <= kSegments; ++i) {
      if (self > 0) {
        shared_memory.wait_for_work(shared_memory.self() - 1, i, kWaiting);
        EXPECT_GE(done[self - 1], i);
      }
      done[self] = i;
      shared_memory.worked(i);
    }
    shared_memory.wait_for_work(shared_memory.members() - 1, kSegments, kWaiting);
    EXPECT_EQ(done[kMembers - 1], kSegments);
  });
}

}  // namespace
}  // namespace nmt::collectives
