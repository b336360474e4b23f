// SPDX-License-Identifier: BSD-3-Clause
#include "node/unmap_watch.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace nmt::node {
namespace {

constexpr std::size_t kBytes = 65536;

std::byte* mapped() {
  void* memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  return static_cast<std::byte*>(memory);
}

std::uintptr_t address(const std::byte* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

class Heard final : public UnmapWatch::Listener {
 public:
  explicit Heard(UnmapWatch& watch) : watch_(watch) { watch_.subscribe(*this); }
  ~Heard() override { watch_.unsubscribe(*this); }
  void unmapped(std::uintptr_t begin, std::uintptr_t end) noexcept override {
    begin_ = begin;
    end_ = end;
  }
  bool of(std::uintptr_t begin, std::uintptr_t end) {
    const auto lock = watch_.settled();
    return begin_ == begin && end_ == end;
  }

 private:
  UnmapWatch& watch_;
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

class UnmapWatched : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    watch_ = UnmapWatch::of_this_process(&reason);
    if (!watch_) GTEST_SKIP() << reason;
  }
  std::shared_ptr<UnmapWatch> watch_;
};

TEST_F(UnmapWatched, IsToldBeforeAnythingElseCanBeMappedThere) {
  Heard heard(*watch_);
  for (int i = 0; i < 100; ++i) {
    std::byte* memory = mapped();
    ASSERT_TRUE(watch_->add(address(memory), address(memory) + kBytes));
    memory[0] = std::byte{2};
    ::munmap(memory, kBytes);
    EXPECT_TRUE(heard.of(address(memory), address(memory) + kBytes)) << i;
  }
}

TEST_F(UnmapWatched, IsToldOfMemoryThatMovesOrIsGivenBack) {
  Heard heard(*watch_);
  std::byte* memory = mapped();
  ASSERT_TRUE(watch_->add(address(memory), address(memory) + kBytes));
  EXPECT_EQ(::madvise(memory, 4096, MADV_DONTNEED), 0);
  EXPECT_TRUE(heard.of(address(memory), address(memory) + 4096));
  std::byte* room = mapped();
  ASSERT_EQ(::mremap(memory, kBytes, kBytes, MREMAP_MAYMOVE | MREMAP_FIXED, room), room);
  EXPECT_TRUE(heard.of(address(memory), address(memory) + kBytes));
  ::munmap(room, kBytes);
}

TEST_F(UnmapWatched, OneWatchServesAllWhoAskAtATime) {
  EXPECT_EQ(UnmapWatch::of_this_process(), watch_);
  watch_.reset();
  EXPECT_NE(UnmapWatch::of_this_process(), nullptr);
}

TEST_F(UnmapWatched, UnmappedPagesAreNotWatched) {
  std::byte* memory = mapped();
  ::munmap(memory, kBytes);
  EXPECT_FALSE(watch_->add(address(memory), address(memory) + kBytes));
}

}  // namespace
}  // namespace nmt::node
