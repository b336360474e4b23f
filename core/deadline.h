// SPDX-License-Identifier: BSD-3-Clause
//
// When to stop waiting, on the monotonic clock: a wall clock that steps moves no deadline.
//
// A Deadline takes any duration. One that ends after the clock does, such as nanoseconds::max(),
// means to wait for ever; so callers need not compare, and nobody else adds a timeout to a time.
#pragma once

#include <algorithm>
#include <chrono>

namespace nmt {

class Deadline {
 public:
  template <class Rep, class Period>
  explicit Deadline(std::chrono::duration<Rep, Period> from_now)
      : end_(end_of(std::chrono::steady_clock::now(), from_now)) {}

  bool passed() const { return std::chrono::steady_clock::now() >= end_; }

  // What poll() takes: at most a minute, so wait again until passed(); rounded up, so that a wait
  // never spins through its last millisecond.
  int left_ms() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60000));
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  // Compared in floating point, which no unit overflows.
  template <class Rep, class Period>
  static Time end_of(Time now, std::chrono::duration<Rep, Period> from_now) {
    using Floating = std::chrono::duration<long double, Time::period>;
    const Floating wanted(from_now);
    if (wanted <= Floating::zero()) return now;
    if (wanted >= Floating(Time::max() - now)) return Time::max();
    return now + std::chrono::duration_cast<Time::duration>(wanted);
  }

  Time end_;
};

}  // namespace nmt
