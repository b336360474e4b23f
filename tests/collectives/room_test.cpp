// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/room.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <functional>
#include <numeric>
#include <thread>

namespace nmt::collectives {
namespace {

constexpr std::size_t kAreaBytes = 4096;
const Waiting kWaiting;  // crowded

// Members that are threads: what they may read of each other is what a process may of its own
// memory.
class Members {
 public:
  explicit Members(int members) : members_(members), all_(members) {}

  // Each in a room that they share, by copies out of each other's memory or through areas.
  void in_room(bool attach, const std::function<void(Room&)>& act) {
    const std::vector<pid_t> pids(static_cast<std::size_t>(members_), ::getpid());
    std::vector<LocalListener> listeners(pids.size());
    std::vector<std::string> addresses;
    for (const LocalListener& listener : listeners) addresses.push_back(listener.address());
    std::vector<std::thread> threads;
    for (int self = 0; self < members_; ++self) {
      threads.emplace_back([&, self] {
        std::optional<SharedSegment> desks;
        if (self == 0) {
          desks.emplace(Room::make_desks(pids.size()));
          Room::hand_out(*desks, pids, addresses);
        } else {
          desks.emplace(Room::receive_desks(listeners[static_cast<std::size_t>(self)], pids));
        }
        Room room(std::move(*desks), self, pids);
        room.introduce();
        all_.arrive_and_wait();
        room.try_pairs(attach);
        all_.arrive_and_wait();
        act(room);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int members_;
  std::barrier<> all_;
};

std::vector<int> others_of(const Room& room) {
  std::vector<int> others(static_cast<std::size_t>(room.members()));
  std::iota(others.begin(), others.end(), 0);
  std::erase(others, room.self());
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
TEST(Room, AllGetWhatOneShows) {
  constexpr std::size_t kBytes = 3 * kAreaBytes + 5, kPiece = 1000;
  for (const bool attach : {true, false}) {
    Members(4).in_room(attach, [&](Room& room) {
      ASSERT_TRUE(room.all_can_read() || room.make_areas(kAreaBytes, kWaiting));
      for (int owner = 0; owner < room.members(); ++owner) {
        const std::vector<std::byte> data = stream_of(owner, kBytes);
        std::vector<std::byte> got(kBytes);
        room.begin();
        if (room.self() == owner) room.show(data.data(), others_of(room));
        for (std::size_t at = 0; at < kBytes; at += kPiece) {
          const std::size_t bytes = std::min(kPiece, kBytes - at);
          if (room.self() == owner) {
            room.there(at + bytes, std::span(data).subspan(at, bytes), kWaiting);
          } else {
            room.fetch(owner, at, at, std::span(got).subspan(at, bytes), kWaiting);
          }
        }
        if (room.self() == owner) {
          room.await_visits(kWaiting);
        } else {
          room.leave(owner, kWaiting);
          EXPECT_EQ(got, data);
        }
      }
    });
  }
}

TEST(Room, WhoMayReadWhomIsTried) {
  std::uint64_t from = 1, to = 0;
  const iovec theirs{&from, sizeof from}, own{&to, sizeof to};
  const bool allowed = ::process_vm_readv(::getpid(), &own, 1, &theirs, 1, 0) == sizeof to;
  Members(3).in_room(true, [&](Room& room) { EXPECT_EQ(room.all_can_read(), allowed); });
  Members(3).in_room(false, [](Room& room) { EXPECT_FALSE(room.all_can_read()); });
}

// Its owner waits for no reader that has left with what it wanted.
TEST(Room, WhoExpectsLessThanThereIsGetsTheFirstBytes) {
  const std::vector<std::byte> data = stream_of(0, 5 * kAreaBytes);
  for (const bool attach : {true, false}) {
    Members(3).in_room(attach, [&](Room& room) {
      ASSERT_TRUE(room.all_can_read() || room.make_areas(kAreaBytes, kWaiting));
      room.begin();
      if (room.self() == 0) {
        room.show(data.data(), others_of(room));
        room.there(data.size(), data, kWaiting);
        room.await_visits(kWaiting);
        return;
      }
      std::vector<std::byte> got(room.self() == 1 ? data.size() : 100);
      room.fetch(0, 0, 0, got, kWaiting);
      room.leave(0, kWaiting);
      EXPECT_TRUE(std::ranges::equal(got, std::span(data).first(got.size())));
    });
  }
}

TEST(Room, WhoExpectsMoreThanThereIsGetsWhatThereIs) {
  for (const bool attach : {true, false}) {
    Members(2).in_room(attach, [&](Room& room) {
      const std::vector<std::byte> data(100, std::byte{7});
      std::vector<std::byte> got(101);
      ASSERT_TRUE(room.all_can_read() || room.make_areas(kAreaBytes, kWaiting));
      room.begin();
      if (room.self() == 0) {
        room.show(data.data(), {1});
        room.there(data.size(), data, kWaiting);
        room.await_visits(kWaiting);
      } else {
        EXPECT_EQ(room.fetch(0, 0, 0, got, kWaiting), data.size());
        EXPECT_EQ(room.fetch(0, 150, 150, got, kWaiting), 0u);
        room.leave(0, kWaiting);
        EXPECT_TRUE(std::ranges::equal(data, std::span(got).first(data.size())));
        EXPECT_EQ(got.back(), std::byte{0});
      }
    });
  }
}

TEST(Room, AllHearOfItWhereOneSaysAnotherNumber) {
  Members(3).in_room(true, [&](Room& room) {
    for (const std::uint64_t bytes : {5u, 6u, 7u}) EXPECT_NO_THROW(room.agree(bytes, kWaiting));
    EXPECT_THROW(room.agree(room.self() == 2 ? 9 : 8, kWaiting), std::exception);
    EXPECT_NO_THROW(room.agree(8, kWaiting));
  });
}

TEST(Room, AreasAreAlignedForAnyTypeAndGrow) {
  Members(3).in_room(false, [&](Room& room) {
    ASSERT_TRUE(room.make_areas(999, kWaiting));
    EXPECT_GE(room.area(room.self()).size(), 999u);
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(room.area(room.self()).data()) % alignof(std::max_align_t),
        0u);
    const std::byte* before = room.area(0).data();
    ASSERT_TRUE(room.make_areas(500, kWaiting));
    EXPECT_EQ(room.area(0).data(), before);
    ASSERT_TRUE(room.make_areas(100'000, kWaiting));
    EXPECT_GE(room.area(room.self()).size(), 100'000u);
  });
}

TEST(Room, WithoutMemoryNoneHasAreas) {
  constexpr std::size_t kLimitBytes = 1 << 20;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{.rlim_cur = kLimitBytes, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Members(3).in_room(false, [&](Room& room) {
    EXPECT_FALSE(room.make_areas(kLimitBytes, kWaiting));
    EXPECT_FALSE(room.make_areas(2 * kLimitBytes, kWaiting));
    EXPECT_TRUE(room.make_areas(kAreaBytes, kWaiting));
  });
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
}

// What one member does to a segment waits for what the others did before.
TEST(Room, WorkGoesFromMemberToMember) {
  constexpr std::uint64_t kSegments = 500;
  constexpr std::size_t kMembers = 3;
  std::array<std::atomic<std::uint64_t>, kMembers> done{};
  Members(kMembers).in_room(false, [&](Room& room) {
    const auto self = static_cast<std::size_t>(room.self());
    room.begin();
    for (std::uint64_t i = 1; i <= kSegments; ++i) {
      if (self > 0) {
        room.await_work(room.self() - 1, i, kWaiting);
        EXPECT_GE(done[self - 1], i);
      }
      done[self] = i;
      room.worked(i);
    }
    room.await_work(room.members() - 1, kSegments, kWaiting);
    EXPECT_EQ(done[kMembers - 1], kSegments);
  });
}

}  // namespace
}  // namespace nmt::collectives
