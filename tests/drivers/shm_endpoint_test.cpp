// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/shm/endpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <thread>

#include "core/error.h"
#include "tests/drivers/pair.h"

namespace nmt::drivers {
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

// A near end whose far end is whatever the test writes into the ring.
class ShmEndpointTest : public testing::Test {
 protected:
  void SetUp() override {
    const Deadline deadline(std::chrono::seconds(5));
    node::LocalListener listener;
    peer_.emplace(node::LocalSocket::connect(listener.address(), ::getpid(), deadline));
    node::LocalSocket own = listener.accept(::getpid(), deadline);
    node::SharedSegment segment = node::SharedSegment::create(sizeof(ShmRings));
    segment.send(own);
    peer_segment_.emplace(node::SharedSegment::receive(*peer_, sizeof(ShmRings), deadline));
    writer_.emplace(reinterpret_cast<ShmRings*>(peer_segment_->memory().data())->from_far);
    endpoint_ = std::make_unique<ShmEndpoint>("shm", Side::kNear, std::move(segment),
                                              std::move(own), ::getpid());
  }

  void write(std::initializer_list<ConstBytes> parts) {
    Gather gather;
    for (const ConstBytes part : parts) gather.add(part);
    writer_->publish(gather.copy_to(writer_->claim()));
  }

  // What the endpoint says of it with a receive of 1000 bytes posted.
  std::string answer() {
    TestReceive receive(64, 1000);
    receive.post(*endpoint_);
    try {
      return endpoint_->poll().received ? "received" : "waits";
    } catch (const Error& error) {
      return (error.fault() == Fault::kPeer ? "peer" : "failed");
    }
  }

  std::optional<node::LocalSocket> peer_;
  std::optional<node::SharedSegment> peer_segment_;
  std::optional<RingWriter> writer_;
  std::unique_ptr<ShmEndpoint> endpoint_;
};

template <class T>
ConstBytes bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

TEST_F(ShmEndpointTest, GarbageIsALostPeer) {
  const std::array<char, 40> garbage{"HTTP/1.1 400 Bad Request"};
  write({bytes_of(garbage)});
  EXPECT_EQ(answer(), "peer");
}

TEST_F(ShmEndpointTest, HalfAFrameIsALostPeer) {
  const Frame frame{.packets = 1};
  write({bytes_of(frame).first(23)});
  EXPECT_EQ(answer(), "peer");
}

TEST_F(ShmEndpointTest, AnAbsurdLengthIsALostPeer) {
  const Frame frame{.packets = 1, .body_bytes = std::uint64_t{1} << 60};
  write({bytes_of(frame)});
  EXPECT_EQ(answer(), "peer");
}

TEST_F(ShmEndpointTest, MoreThanAnnouncedIsALostPeer) {
  const Frame frame{.packets = 1, .body_bytes = 4};
  write({bytes_of(frame), bytes_of(std::uint64_t{0})});
  EXPECT_EQ(answer(), "peer");
}

TEST_F(ShmEndpointTest, PiecesMustMakeUpTheBody) {
  std::uint64_t content = 0x5eed;
  const auto offer = [&](std::uint64_t announced, ShmPiece first, ShmPiece second) {
    SetUp();
    const Frame frame{.kind = FrameKind::kRequest, .packets = 2, .body_bytes = announced};
    write({bytes_of(frame), bytes_of(first), bytes_of(second)});
    return answer();
  };
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(&content);
  if (node::probe_cross_memory_attach("shm rendezvous"))
    GTEST_SKIP() << "no cross-memory attach here";
  EXPECT_EQ(offer(16, {address, 8}, {address, 8}), "received");
  EXPECT_EQ(offer(16, {address, 8}, {address, 7}), "peer");
  EXPECT_EQ(offer(16, {address, 8}, {address, 9}), "peer");
  EXPECT_EQ(offer(16, {address, 8}, {address, ~std::uint64_t{0}}), "peer");
  EXPECT_EQ(offer(16, {address, 8}, {1, 8}), "peer") << "nothing is mapped there";
}

}  // namespace
}  // namespace nmt::drivers
