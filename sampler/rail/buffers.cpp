// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/buffers.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "core/error.h"
#include "sampler/rail/campaign.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kColdCaches = 4;  // size of the cold arena, in private caches

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

struct Memory {
  std::size_t size_bytes = 0;
  int pattern = 0;  // of a source or of a target; a target has what it received last
  std::byte* bytes = nullptr;
};

// A rank of a job measures one round after the other, and touching memory anew took half a second
// of each where ten ranks shared two cores. So launches in one process use the same pages.
class KeptMemory {
 public:
  KeptMemory() { kept_.reserve(kKept + 1); }
  ~KeptMemory() { release_kept(); }
  static KeptMemory& instance() {
    static KeptMemory kept;
    return kept;
  }

  Memory take(std::size_t size_bytes, int pattern) {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const Memory& each) {
      return each.pattern == pattern && each.size_bytes >= size_bytes;
    };
    const auto found = std::ranges::find_if(kept_, fits);
    if (found != kept_.end()) {
      const Memory memory = *found;
      kept_.erase(found);
      return memory;
    }
    release_kept();  // what is too small is of no more use
    auto* bytes = static_cast<std::byte*>(::operator new[](size_bytes, kAlignment));
    std::memset(bytes, pattern, size_bytes);
    return {size_bytes, pattern, bytes};
  }

  void give_back(const Memory& memory) noexcept {
    const std::lock_guard lock(mutex_);
    kept_.push_back(memory);
    if (kept_.size() <= kKept) return;
    release(kept_.front());
    kept_.erase(kept_.begin());
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    release_kept();
  }

 private:
  void release_kept() {
    for (const Memory& each : kept_) release(each);
    kept_.clear();
  }

  static constexpr std::size_t kKept = 2;  // a source and a target
  static constexpr std::align_val_t kAlignment{kPageBytes};
  static void release(const Memory& memory) { ::operator delete[](memory.bytes, kAlignment); }

  std::mutex mutex_;
  std::vector<Memory> kept_;
};

std::shared_ptr<std::byte[]> touched(std::size_t size_bytes, int pattern) {
  const Memory memory = KeptMemory::instance().take(size_bytes, pattern);
  return {memory.bytes, [memory](std::byte*) { KeptMemory::instance().give_back(memory); }};
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

void release_buffers() { KeptMemory::instance().release_all(); }

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
