// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded: from fail_new(n) on, the n-th object that C++ asks memory for gets none.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left{-1};

}  // namespace

extern "C" void fail_new(int nth) { left = nth; }

void* operator new(std::size_t bytes) {
  if (left > 0 && --left == 0) throw std::bad_alloc();
  void* memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
