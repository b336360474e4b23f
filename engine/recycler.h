// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for what an engine keeps of its messages. What one message gives back serves the next, so
// small messages allocate nothing once as many were under way at the same time as ever will be.
//
// Blocks have sizes of powers of two, and each size has a list of the free ones. They go back to
// the system only with the engine. Larger blocks than kSizeBytesMax come from the system each time.
// Like its engine, it belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>

namespace nmt::engine {

class Recycler final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kSizeBytesMax = std::size_t{1} << 16;

  Recycler() = default;
  ~Recycler() override;
  Recycler(const Recycler&) = delete;
  Recycler& operator=(const Recycler&) = delete;

 private:
  struct Block {
    Block* next;
  };
  static constexpr std::size_t kSizes = 17;  // 2^0 to kSizeBytesMax; the first few are not used

  static bool recycles(std::size_t size_bytes);
  static std::size_t size_of(std::size_t size_bytes);  // its power of two
  void* do_allocate(std::size_t size_bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t size_bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::array<Block*, kSizes> free_{};
};

// Bytes, not initialized, that go back to where they came from.
struct GiveBack {
  std::pmr::memory_resource* memory = nullptr;
  std::size_t size_bytes = 0;

  void operator()(std::byte* bytes) const { memory->deallocate(bytes, size_bytes); }
};
using Storage = std::unique_ptr<std::byte[], GiveBack>;
Storage new_storage(std::pmr::memory_resource& memory, std::size_t size_bytes);

}  // namespace nmt::engine
