// SPDX-License-Identifier: BSD-3-Clause
#include "engine/recycler.h"

#include <algorithm>
#include <bit>
#include <new>

#include "core/error.h"

namespace nmt::engine {
namespace {

// The sanitizer finds wrong uses of a block only if the block is its own.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kRecycles = false;
#else
constexpr bool kRecycles = true;
#endif

}  // namespace

Recycler::~Recycler() {
  for (Block* block : free_) {
    while (block != nullptr) {
      Block* const next = block->next;
      ::operator delete(block);
      block = next;
    }
  }
}

bool Recycler::recycles(std::size_t size_bytes) { return kRecycles && size_bytes <= kSizeBytesMax; }

std::size_t Recycler::size_of(std::size_t size_bytes) {
  const std::size_t least_bytes = std::max(size_bytes, alignof(std::max_align_t));
  return static_cast<std::size_t>(std::bit_width(least_bytes - 1));
}

void* Recycler::do_allocate(std::size_t size_bytes, std::size_t alignment) {
  NMT_CHECK(alignment <= alignof(std::max_align_t));
  if (!recycles(size_bytes)) return ::operator new(size_bytes);
  const std::size_t size = size_of(size_bytes);
  Block* const block = free_[size];
  if (block == nullptr) return ::operator new (std::size_t{1} << size);
  free_[size] = block->next;
  return block;
}

void Recycler::do_deallocate(void* memory, std::size_t size_bytes, std::size_t /*alignment*/) {
  if (!recycles(size_bytes)) return ::operator delete(memory);
  Block*& first = free_[size_of(size_bytes)];
  first = new (memory) Block{first};
}

Storage new_storage(std::pmr::memory_resource& memory, std::size_t size_bytes) {
  auto* const bytes = static_cast<std::byte*>(memory.allocate(size_bytes));
  return Storage(bytes, GiveBack{&memory, size_bytes});
}

}  // namespace nmt::engine
