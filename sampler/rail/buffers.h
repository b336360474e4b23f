// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a ping-pong's messages, hot or cold.
//
// Hot: every exchange uses the start of the same buffer. Cold: each exchange uses the next part of
// an arena larger than the largest private cache of a core, so that its lines have left that cache
// before they are used again. Pages are touched when the buffers are made. The process keeps the
// memory of the last buffers for the next ones, until release_buffers(); this is safe in several
// threads.
#pragma once

#include <cstddef>
#include <memory>

#include "drivers/drivers.h"
#include "sampler/rail/benchmark.h"

namespace nmt::sampler {

class Buffers {
 public:
  // For messages of up to `size_bytes_max` in one direction. A copy shares the memory.
  Buffers(std::size_t size_bytes_max, std::size_t private_cache_bytes);

  // For described rails, whose two sides are in one process: source and target are the same memory
  // on both sides, so that the simulation copies nothing.
  static Buffers described(std::size_t size_bytes_max);

  // Moves to the memory of the next exchange, with `size_bytes` in each direction.
  void advance(Regime regime, std::size_t size_bytes);
  drivers::ConstBytes source() const { return {source_.get() + position_, size_bytes_}; }
  drivers::Bytes target() const { return {target_.get() + position_, size_bytes_}; }

 private:
  Buffers() = default;
  std::shared_ptr<std::byte[]> source_;
  std::shared_ptr<std::byte[]> target_;
  std::size_t capacity_bytes_ = 0;
  std::size_t next_cold_ = 0;
  std::size_t position_ = 0;
  std::size_t size_bytes_ = 0;
};

}  // namespace nmt::sampler
