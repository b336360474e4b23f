// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/counter.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace nmt::collectives {
namespace {

constexpr int kLooks = 2000;           // some microseconds: about the cost of going to sleep
constexpr long kNapNsMin = 500'000;    // first sleep before the MPI makes progress
constexpr long kNapNsMax = 4'000'000;  // later sleeps

// Returns at once if the bell has rung since `heard` was read.
void sleep_until_rung(std::atomic<std::uint32_t>& bell, std::uint32_t heard, long nap_ns) {
  const timespec nap{.tv_sec = 0, .tv_nsec = nap_ns};
  ::syscall(SYS_futex, &bell, FUTEX_WAIT, heard, &nap, nullptr, 0);
}

}  // namespace

void Counter::raise_to(std::uint64_t value) {
  value_.store(value);
  wake(value);
}

void Counter::add_one() { wake(value_.fetch_add(1) + 1); }

// Clears the need first, then rings the bell: a rank that registers in between has read the old
// bell, so it does not fall asleep.
void Counter::wake(std::uint64_t value) {
  if (value < needed_.load()) return;
  needed_.store(kNobody);
  wake_all();
}

void Counter::wake_all() {
  bell_.fetch_add(1);
  ::syscall(SYS_futex, &bell_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Counter::register_need(std::uint64_t least) {
  std::uint64_t needed = needed_.load();
  while (least < needed && !needed_.compare_exchange_weak(needed, least)) {
  }
}

void Counter::wait_for(std::uint64_t least, const WaitPolicy& waiting) {
  for (int looks = waiting.oversubscribed ? 1 : kLooks; looks > 0; --looks) {
    if (value() >= least) return;
  }
  for (long nap_ns = kNapNsMin;; nap_ns = std::min(2 * nap_ns, kNapNsMax)) {
    const std::uint32_t heard = bell_.load();
    register_need(least);
    if (value_.load() >= least) return;
    sleep_until_rung(bell_, heard, nap_ns);
    if (value() >= least) return;
    if (waiting.make_progress != nullptr) waiting.make_progress(waiting.mpi);
  }
}

}  // namespace nmt::collectives
