// SPDX-License-Identifier: BSD-3-Clause
#include "tests/runtime/malloc_hooks.h"

#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}

namespace {

thread_local std::uint64_t counted = 0;
thread_local std::int64_t live = 0;
thread_local std::uint64_t failing_from = UINT64_MAX;
thread_local bool failed = false;

bool refuse() {
  ++counted;
  if (counted < failing_from) return false;
  failed = true;
  errno = ENOMEM;
  return true;
}

void* keep(void* block) {
  live += block != nullptr;
  return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return refuse() ? nullptr : keep(__libc_malloc(size)); }

void* calloc(std::size_t count, std::size_t size) {
  return refuse() ? nullptr : keep(__libc_calloc(count, size));
}

void* realloc(void* block, std::size_t size) {
  if (refuse()) return nullptr;
  void* moved = __libc_realloc(block, size);
  live += block == nullptr && moved != nullptr;
  return moved;
}

void* memalign(std::size_t alignment, std::size_t size) {
  return refuse() ? nullptr : keep(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

void free(void* block) {
  live -= block != nullptr;
  __libc_free(block);
}

}  // extern "C"

namespace nmt::planted {

std::uint64_t allocations() { return counted; }
std::int64_t live_blocks() { return live; }

void fail_allocation(std::uint64_t n) {
  failing_from = n == 0 ? UINT64_MAX : counted + n;
  failed = false;
}

bool has_failed() { return failed; }

}  // namespace nmt::planted
