// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/shm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <memory>
#include <random>
#include <thread>

#include "drivers/shm_ring.h"
#include "tests/drivers/pair.h"
#include "tests/node/child.h"

namespace nmt {
namespace {

std::unique_ptr<Ring> empty_ring() { return std::make_unique<Ring>(); }

TEST(Ring, IsFullWhenNobodyReads) {
  const std::unique_ptr<Ring> ring = empty_ring();
  RingWriter writer(*ring);
  RingReader reader(*ring);
  EXPECT_FALSE(reader.ready());
  for (std::size_t i = 0; i < Ring::kCells; ++i) {
    ASSERT_FALSE(writer.claim().empty());
    writer.publish(i);
  }
  EXPECT_TRUE(writer.claim().empty());
  ASSERT_TRUE(reader.ready());
  EXPECT_EQ(reader.payload().size(), 0u);
  reader.free();
  EXPECT_FALSE(writer.claim().empty());
  ASSERT_TRUE(reader.ready());
  EXPECT_EQ(reader.payload().size(), 1u);
}

TEST(Ring, NeverShowsMoreThanACell) {
  const std::unique_ptr<Ring> ring = empty_ring();
  RingWriter writer(*ring);
  const std::size_t room_bytes = writer.claim().size();
  writer.publish(std::size_t{1} << 60);
  EXPECT_EQ(RingReader(*ring).payload().size(), room_bytes);
}

// Both threads see the same addresses, so that a thread sanitizer sees every access.
TEST(Ring, HandsCellsOverBetweenThreads) {
  constexpr std::size_t kTotal = 20000;
  const std::unique_ptr<Ring> ring = empty_ring();
  std::thread writing([&] {
    RingWriter writer(*ring);
    for (std::size_t i = 0; i < kTotal;) {
      const Bytes cell = writer.claim();
      if (cell.empty()) {
        std::this_thread::yield();
        continue;
      }
      const std::size_t size_bytes = i % cell.size();
      std::fill_n(cell.begin(), size_bytes, static_cast<std::byte>(i));
      writer.publish(size_bytes);
      ++i;
    }
  });
  RingReader reader(*ring);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kTotal;) {
    if (!reader.ready()) {
      std::this_thread::yield();
      continue;
    }
    const ConstBytes cell = reader.payload();
    wrong += cell.size() != i % sizeof(Ring::Cell::payload);
    for (const std::byte byte : cell) wrong += byte != static_cast<std::byte>(i);
    reader.free();
    ++i;
  }
  writing.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(Shm, WithoutCrossMemoryAttachOffersTheRingAndSaysWhy) {
  const std::string seen = in_child([] {
    filter_system_call(SYS_process_vm_readv, EPERM);
    const std::unique_ptr<Driver> driver = make_shm_driver();
    const Detection detection = driver->detect();
    std::string text = detection.rails.at(0).full_name() + ":";
    for (const Method method : driver->methods(detection.rails.at(0))) {
      text += " " + std::string(to_string(method));
    }
    return text + "; refused " + detection.refusals.at(0).rail + ": " +
           detection.refusals.at(0).reason;
  });
  EXPECT_THAT(seen, testing::StartsWith("shm: copy iovec; refused shm rendezvous: "));
  EXPECT_THAT(seen, testing::HasSubstr("seccomp"));
}

TEST(Shm, WithoutCrossMemoryAttachStillMovesMessages) {
  const std::string seen = in_child([]() -> std::string {
    filter_system_call(SYS_process_vm_readv, ENOSYS);
    const Pair pair = open_pair("shm");
    const TestMessage message(1, 100000);
    TestReceive receive(message);
    receive.post(*pair.far);
    pair.near->send(pair.methods().back(), message.packets());
    const bool done = eventually([&] {
      pair.near->poll();
      receive.take(pair.far->poll());
      return receive.done();
    });
    return done && receive.holds(message) ? "moved" : "lost";
  });
  EXPECT_EQ(seen, "moved");
}

}  // namespace
}  // namespace nmt
