// SPDX-License-Identifier: BSD-3-Clause
//
// One direction of shared memory: a ring of cells from one writer to one reader, without locks.
//
// A cell carries its own stamp: one plus the number of cells written before it. So to receive a
// small message the reader loads only the cache lines of that message, not an index that the writer
// keeps changing. The reader counts the cells that it has freed in a separate cache line. The
// writer reads it only when the ring seems full. A large message takes several cells and is
// pipelined: the reader copies one cell while the writer fills the next. A zeroed Ring is empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "drivers/driver.h"

namespace nmt::drivers {

// Lives in shared memory: only fields of fixed size, only lock-free atomics.
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

  // Payload of the next free cell; empty if the ring is full.
  Bytes claim() {
    if (written_ - freed_ == Ring::kCells) {
      freed_ = ring_.freed.load(std::memory_order_acquire);
      if (written_ - freed_ >= Ring::kCells) return {};
    }
    return ring_.cells[written_ % Ring::kCells].payload;
  }

  // Publishes the claimed cell with the first `size_bytes` of its payload.
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

  // Payload of the cell that is ready; never longer than a cell, even if the writer claims so.
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

}  // namespace nmt::drivers
