// SPDX-License-Identifier: BSD-3-Clause
//
// When to stop waiting, on the monotonic clock: a wall clock that steps moves no deadline.
#pragma once

#include <algorithm>
#include <chrono>

namespace nmt {

class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds from_now)
      : end_(std::chrono::steady_clock::now() + from_now) {}

  bool passed() const { return std::chrono::steady_clock::now() >= end_; }

  // What poll() takes: rounded up, so that a wait never spins through its last millisecond.
  int left_ms() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60000));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace nmt
