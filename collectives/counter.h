// SPDX-License-Identifier: BSD-3-Clause
//
// A number in shared memory that only grows, and ranks that wait until it has grown enough.
//
// Who waits looks for a moment and then sleeps in the kernel (futex): with more ranks than cores, a
// rank that looks on takes the core of the one it waits for. Nobody is woken before the number is
// what he needs. Whoever sleeps wakes up now and then all the same, to let the MPI of this process
// go on with what its other ranks wait for.
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
  void raise_to(std::uint64_t value);  // by one rank, never to less
  void add_one();                      // by any; not beside raise_to()
  void wait_for(std::uint64_t least, const WaitPolicy& waiting);
  void wake_all();  // who waits goes on with what else it has to do

 private:
  void wake(std::uint64_t value);
  void register_need(std::uint64_t least);

  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint64_t> needed_{kNobody};  // the least that anyone asleep waits for
  std::atomic<std::uint32_t> bell_{0};          // what the kernel looks at
};

}  // namespace nmt::collectives
