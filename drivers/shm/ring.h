// SPDX-License-Identifier: BSD-3-Clause
//
// One direction of shared memory: a ring of cells from one writer to one reader, without locks.
//
// A cell carries its own stamp (how many cells were written before it, plus one), so that a small
// message costs the reader the cache lines it is made of and no look at an index that the writer
// keeps changing. The reader says how many cells it has freed in a line of its own, which the
// writer looks at only when the ring seems full. Large messages take several cells and pipeline:
// the reader copies one out while the writer fills the next. A zeroed Ring is empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "drivers/driver.h"

namespace nmt {

// Lies in shared memory: fixed-size fields only, lock-free atomics only.
struct Ring {
  static constexpr std::size_t kCells = 64;
  static constexpr std::size_t kCellBytes = 8192;
  static constexpr std::size_t kLineBytes = 64;

  struct alignas(kLineBytes) Cell {
    std::atomic<std::uint64_t> stamp;
    std::uint64_t size_bytes;
    std::byte payload[kCellBytes - 16];
  };

  alignas(kLineBytes) std::atomic<std::uint64_t> freed;       // cells, by the reader
  alignas(kLineBytes) std::atomic<std::uint64_t> rendezvous;  // completed, by the reader
  Cell cells[kCells];
};
static_assert(sizeof(Ring::Cell) == Ring::kCellBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class RingWriter {
 public:
  explicit RingWriter(Ring& ring) : ring_(ring) {}

  // Payload of the next free cell; empty where the ring is full.
  Bytes claim() {
    if (written_ - freed_ == Ring::kCells) {
      freed_ = ring_.freed.load(std::memory_order_acquire);
      if (written_ - freed_ >= Ring::kCells) return {};
    }
    return ring_.cells[written_ % Ring::kCells].payload;
  }

  // Hands the claimed cell over with the first `size_bytes` of its payload.
  void publish(std::size_t size_bytes) {
    Ring::Cell& cell = ring_.cells[written_ % Ring::kCells];
    cell.size_bytes = size_bytes;
    cell.stamp.store(++written_, std::memory_order_release);
  }

 private:
  Ring& ring_;
  std::uint64_t written_ = 0;
  std::uint64_t freed_ = 0;  // as last seen
};

class RingReader {
 public:
  explicit RingReader(Ring& ring) : ring_(ring) {}

  bool ready() const {
    return ring_.cells[read_ % Ring::kCells].stamp.load(std::memory_order_acquire) == read_ + 1;
  }

  // Payload of the cell that is ready. Never more than a cell holds, whatever the writer says.
  ConstBytes payload() const {
    const Ring::Cell& cell = ring_.cells[read_ % Ring::kCells];
    const std::uint64_t size_bytes = cell.size_bytes;
    return {cell.payload, size_bytes < sizeof cell.payload ? size_bytes : sizeof cell.payload};
  }

  void free() { ring_.freed.store(++read_, std::memory_order_release); }

 private:
  Ring& ring_;
  std::uint64_t read_ = 0;
};

}  // namespace nmt
