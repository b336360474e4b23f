// SPDX-License-Identifier: BSD-3-Clause
//
// A number in shared memory that only grows, and ranks that wait until it is large enough.
//
// A waiting rank polls for a moment and then sleeps in the kernel (futex): with more ranks than
// cores, a polling rank would take the core of the rank that it waits for. A rank is not woken
// before the number is large enough for it. But it wakes up now and then by itself, to let the MPI
// of its process make progress for other ranks.
#pragma once

#include <atomic>
#include <cstdint>

namespace nmt::collectives {

// How a rank waits.
struct WaitPolicy {
  bool oversubscribed = true;                  // there are more ranks than cores
  void (*make_progress)(void* mpi) = nullptr;  // lets the MPI make progress
  void* mpi = nullptr;
};

class Counter {
 public:
  std::uint64_t value() const { return value_.load(std::memory_order_acquire); }
  void raise_to(std::uint64_t value);  // only one rank may call it; never lowers it
  void add_one();                      // any rank may call it, but not with raise_to()
  void restart() { value_.store(0); }  // while no rank waits for it
  void wait_for(std::uint64_t least, const WaitPolicy& waiting);
  void wake_all();  // waiting ranks run make_progress and sleep again

 private:
  void wake(std::uint64_t value);
  void register_need(std::uint64_t least);

  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint64_t> needed_{kNobody};  // the least value that any sleeping rank waits for
  std::atomic<std::uint32_t> bell_{0};          // the word that the kernel checks
};

}  // namespace nmt::collectives
