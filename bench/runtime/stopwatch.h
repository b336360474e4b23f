// SPDX-License-Identifier: BSD-3-Clause
//
// Times one call of some nanoseconds: the cycle counter between fences, so that nothing of the call
// overlaps with what is around it, less what an empty interval shows (its median). For
// distributions and for cold calls; whatever can be repeated is better timed in batches.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/statistics.h"

namespace nmt::bench {

class Stopwatch {
 public:
  Stopwatch() {
    calibrate();
    std::vector<double> empty(10000);
    for (double& interval : empty) interval = elapsed_ns([] {});
    cost_ns_ = median(empty);
  }

  // What `call` takes; may be slightly negative.
  template <class Call>
  double time_ns(Call call) const {
    return elapsed_ns(call) - cost_ns_;
  }

 private:
  template <class Call>
  double elapsed_ns(Call call) const {
    const std::uint64_t start = now();
    call();
    return static_cast<double>(now() - start) * ns_per_tick_;
  }

#if defined(__x86_64__)
  static std::uint64_t now() {
    _mm_lfence();
    const std::uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
  }
  void calibrate() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const std::uint64_t first = now();
    while (Clock::now() - start < std::chrono::milliseconds(50)) {
    }
    const std::chrono::duration<double, std::nano> past = Clock::now() - start;
    ns_per_tick_ = past.count() / static_cast<double>(now() - first);
  }
#else
  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  void calibrate() {}
#endif

  double ns_per_tick_ = 1;
  double cost_ns_ = 0;
};

}  // namespace nmt::bench
