// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that stays registered, and for how long.
#include "drivers/verbs/registrations.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "core/error.h"
#include "tests/drivers/pair.h"
#include "tests/verbs/stub.h"

namespace nmt::verbs {
namespace {

constexpr std::size_t kPage = 4096;

// Pages of memory, mapped and unmapped by themselves.
class Pages {
 public:
  explicit Pages(std::size_t count, void* at = nullptr) : size_bytes_(count * kPage) {
    const int fixed = at != nullptr ? MAP_FIXED : 0;
    void* memory =
        ::mmap(at, size_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    memory_ = static_cast<std::byte*>(memory);
    std::memset(memory_, 1, size_bytes_);
  }
  ~Pages() { unmap(); }
  Pages(const Pages&) = delete;

  void unmap() {
    if (memory_ != nullptr) ::munmap(memory_, size_bytes_);
    memory_ = nullptr;
  }
  std::byte* memory() const { return memory_; }
  drivers::ConstBytes bytes(std::size_t from, std::size_t size_bytes) const {
    return {memory_ + from, size_bytes};
  }
  drivers::ConstBytes page(std::size_t first, std::size_t count = 1) const {
    return bytes(first * kPage, count * kPage);
  }

 private:
  std::size_t size_bytes_;
  std::byte* memory_ = nullptr;
};

class VerbsRegistered : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    watch_ = node::UnmapWatch::of_this_process(&reason);
    if (!watch_) GTEST_SKIP() << reason;
    connection_ = std::make_unique<drivers::VerbsConnection>("verbs:test", "stub0/1",
                                                             drivers::VerbsNeeds{16, 16});
    keep(16 * kPage);
  }
  void TearDown() override {
    registrations_.reset();
    connection_.reset();
    stub::reset();
    EXPECT_EQ(stub::counts().regions, 0u);
  }
  void keep(std::size_t size_bytes) {
    registrations_.reset();
    registrations_ = std::make_unique<drivers::VerbsRegistrations>(
        *connection_, drivers::VerbsAccess::kSource, watch_, size_bytes);
  }
  // Registrations that these stretches of memory cost.
  std::uint64_t cost(std::initializer_list<drivers::ConstBytes> stretches) {
    const std::uint64_t before = registrations_->made();
    for (const drivers::ConstBytes stretch : stretches) registrations_->get(stretch);
    return registrations_->made() - before;
  }

  std::shared_ptr<node::UnmapWatch> watch_;
  std::unique_ptr<drivers::VerbsConnection> connection_;
  std::unique_ptr<drivers::VerbsRegistrations> registrations_;
};

TEST_F(VerbsRegistered, MemoryIsRegisteredOnce) {
  const Pages pages(8);
  EXPECT_EQ(cost({pages.bytes(100, 5000)}), 1u);
  EXPECT_EQ(cost({pages.bytes(100, 5000), pages.bytes(0, 1), pages.bytes(8191, 1)}), 0u);
  EXPECT_EQ(cost({pages.bytes(8192, 1)}), 1u);
}

TEST_F(VerbsRegistered, WhatALargerRegionCoversIsDropped) {
  const Pages pages(8);
  EXPECT_EQ(cost({pages.page(1), pages.page(3), pages.page(5)}), 3u);
  EXPECT_EQ(cost({pages.page(0, 5)}), 1u);
  EXPECT_EQ(stub::counts().regions, 2u);
  EXPECT_EQ(cost({pages.page(1), pages.page(3), pages.page(5)}), 0u);
}

TEST_F(VerbsRegistered, OverlappingRegionsAreBothFound) {
  const Pages pages(8);
  EXPECT_EQ(cost({pages.page(0, 3), pages.page(2, 3)}), 2u);
  EXPECT_EQ(cost({pages.page(0), pages.page(1, 2), pages.page(2, 3), pages.page(4)}), 0u);
  EXPECT_EQ(cost({pages.page(1, 3)}), 1u);
}

TEST_F(VerbsRegistered, TheLeastRecentlyUsedGoesFirst) {
  keep(3 * kPage);
  const Pages pages(8);
  EXPECT_EQ(cost({pages.page(0), pages.page(2), pages.page(4)}), 3u);
  EXPECT_EQ(cost({pages.page(0), pages.page(6)}), 1u);
  EXPECT_EQ(cost({pages.page(0), pages.page(4), pages.page(6)}), 0u);
  EXPECT_EQ(cost({pages.page(2)}), 1u);
}

TEST_F(VerbsRegistered, ARegionInUseOutlivesItsEviction) {
  keep(kPage);
  const Pages pages(4);
  const auto used = registrations_->get(pages.page(0));
  registrations_->get(pages.page(2));
  EXPECT_EQ(stub::counts().regions, 2u);
}

TEST_F(VerbsRegistered, UnmappedMemoryIsRegisteredAgain) {
  Pages pages(4);
  EXPECT_EQ(cost({pages.page(0, 4)}), 1u);
  std::byte* const at = pages.memory();
  pages.unmap();
  const Pages again(4, at);
  EXPECT_EQ(cost({again.page(0, 4)}), 1u);
  EXPECT_EQ(cost({again.page(0, 4)}), 0u);
  EXPECT_EQ(stub::counts().regions, 1u);
}

TEST_F(VerbsRegistered, MemoryGivenBackToTheKernelIsRegisteredAgain) {
  const Pages pages(4);
  EXPECT_EQ(cost({pages.page(0, 4)}), 1u);
  EXPECT_EQ(::madvise(pages.memory() + kPage, kPage, MADV_DONTNEED), 0);
  EXPECT_EQ(cost({pages.page(0, 4)}), 1u);
}

TEST_F(VerbsRegistered, MemoryThatMovesIsRegisteredAgain) {
  const Pages room(8);
  Pages pages(4);
  std::byte* const at = pages.memory();
  EXPECT_EQ(cost({pages.page(0, 4)}), 1u);
  ASSERT_NE(::mremap(at, 4 * kPage, 4 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, room.memory()),
            MAP_FAILED);
  const Pages again(4, at);
  EXPECT_EQ(cost({again.page(0, 4)}), 1u);
}

TEST_F(VerbsRegistered, UnmappingElsewhereChangesNothing) {
  const Pages pages(4);
  Pages other(4);
  EXPECT_EQ(cost({pages.page(0, 4), other.page(0, 4)}), 2u);
  other.unmap();
  EXPECT_EQ(cost({pages.page(0, 4)}), 0u);
}

TEST_F(VerbsRegistered, WhatTheDeviceHasNoRoomForReplacesWhatIsKept) {
  const Pages pages(8);
  stub::settings().locked_bytes_max = 4 * kPage;
  EXPECT_EQ(cost({pages.page(0, 2), pages.page(2, 2)}), 2u);
  EXPECT_EQ(cost({pages.page(4, 2)}), 1u);
  EXPECT_THROW(registrations_->get(pages.page(0, 5)), Error);
}

TEST_F(VerbsRegistered, WithoutAWatchNothingIsKept) {
  drivers::VerbsRegistrations registrations(*connection_, drivers::VerbsAccess::kSource, nullptr,
                                            16 * kPage);
  const Pages pages(4);
  registrations.get(pages.page(0));
  EXPECT_EQ(stub::counts().regions, 0u);
  registrations.get(pages.page(0));
  EXPECT_EQ(registrations.made(), 2u);
}

// Issue of every cache that is told of unmapping: threads that unmap while others look up.
TEST_F(VerbsRegistered, ManyMappingsComeAndGoWithoutAStall) {
  const std::uint64_t before = registrations_->made();
  for (int i = 0; i < 300; ++i) {
    const Pages pages(2);
    registrations_->get(pages.page(0, 2));
    registrations_->get(pages.page(1));
  }
  EXPECT_EQ(registrations_->made() - before, 300u);
}

TEST_F(VerbsRegistered, ASecondTransferFromTheSameMemoryRegistersNothing) {
  for (const char* way : {"rdma_read", "rdma_write"}) {
    drivers::Pair pair = drivers::open_pair("verbs:stub0/1");
    pair.use(way);
    const drivers::TestMessage message(1, 100000);
    std::vector<std::byte> headers(64), bodies(100000);
    const auto move = [&] {
      const std::uint64_t before = stub::counts().registrations;
      pair.far->receive(headers, bodies, drivers::Delivery::kExpected);
      pair.near->send(Method::kRendezvous, message.packets());
      unsigned sent = 0, received = 0;
      EXPECT_TRUE(drivers::eventually([&] {
        sent += pair.near->poll().sent;
        received += pair.far->poll().received;
        return sent == 1 && received == 1;
      }));
      EXPECT_EQ(bodies, message.bodies());
      return stub::counts().registrations - before;
    };
    EXPECT_EQ(move(), 2u) << way;
    EXPECT_EQ(move(), 0u) << way;
  }
}

}  // namespace
}  // namespace nmt::verbs
