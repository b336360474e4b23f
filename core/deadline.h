// SPDX-License-Identifier: BSD-3-Clause
//
// When to stop waiting, on the monotonic clock, so that a change of the wall clock moves no
// deadline.
//
// A Deadline takes any duration. One that ends after the clock's last value, such as
// nanoseconds::max(), means to wait for ever. Callers therefore never add a timeout to a time.
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

  // Milliseconds for poll(), at most a minute: wait again until passed(). Rounded up, so that a
  // wait does not spin through its last millisecond.
  int left_ms() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60000));
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  // Compares in floating point, which no unit overflows.
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
