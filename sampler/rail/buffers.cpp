// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/buffers.h"

#include <cstring>
#include <new>

#include "core/error.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kColdCaches = 4;  // size of the cold arena, in private caches

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

std::shared_ptr<std::byte[]> touched(std::size_t size_bytes, int pattern) {
  constexpr std::align_val_t kAlignment{kPageBytes};
  auto* memory = static_cast<std::byte*>(::operator new[](size_bytes, kAlignment));
  std::memset(memory, pattern, size_bytes);
  return {memory, [](std::byte* pointer) { ::operator delete[](pointer, kAlignment); }};
}

}  // namespace

Buffers::Buffers(std::size_t size_bytes_max, std::size_t private_cache_bytes)
    : capacity_bytes_(round_up(size_bytes_max, kPageBytes) + kColdCaches * private_cache_bytes) {
  source_ = touched(capacity_bytes_, 0x5a);
  target_ = touched(capacity_bytes_, 0x00);
}

Buffers Buffers::described(std::size_t size_bytes_max) {
  Buffers buffers;
  buffers.capacity_bytes_ = round_up(size_bytes_max, kPageBytes);
  buffers.source_ = touched(buffers.capacity_bytes_, 0x5a);
  buffers.target_ = buffers.source_;
  return buffers;
}

void Buffers::advance(Regime regime, std::size_t size_bytes) {
  NMT_CHECK(size_bytes <= capacity_bytes_);
  size_bytes_ = size_bytes;
  position_ = 0;
  if (regime == Regime::kHot) return;
  if (next_cold_ + size_bytes > capacity_bytes_) next_cold_ = 0;
  position_ = next_cold_;
  next_cold_ += round_up(std::max<std::size_t>(size_bytes, 1), kLineBytes);
}

}  // namespace nmt::sampler
