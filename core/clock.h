// SPDX-License-Identifier: BSD-3-Clause
//
// Time as a parameter. Everything that waits, measures or has a budget takes a Clock, so that most
// tests run in virtual time and finish at once.
//
// RealClock reads the cycle counter if it is constant and non-stop, calibrated against
// CLOCK_MONOTONIC_RAW; else it calls clock_gettime. The constructor measures the cost of one
// reading and the smallest step, and every campaign stores both: operations are batched until the
// timer costs at most 0.5 % of what it measures (docs/method.md). VirtualClock moves only when a
// caller moves it.
#pragma once

#include <cstdint>
#include <string>

namespace nmt {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::uint64_t now_ns() const = 0;
  virtual double cost_ns() const = 0;        // of one reading
  virtual double resolution_ns() const = 0;  // smallest step seen
  virtual std::string name() const = 0;      // "tsc", "clock_gettime", "virtual"
};

class RealClock final : public Clock {
 public:
  RealClock();  // takes about 10 ms to calibrate
  std::uint64_t now_ns() const override;
  double cost_ns() const override { return cost_ns_; }
  double resolution_ns() const override { return resolution_ns_; }
  std::string name() const override { return use_cycles_ ? "tsc" : "clock_gettime"; }

 private:
  bool use_cycles_ = false;
  double ns_per_cycle_ = 0;
  std::uint64_t first_cycle_ = 0;
  double cost_ns_ = 0;
  double resolution_ns_ = 0;
};

class VirtualClock final : public Clock {
 public:
  std::uint64_t now_ns() const override { return now_ns_; }
  double cost_ns() const override { return 0; }
  double resolution_ns() const override { return 1; }
  std::string name() const override { return "virtual"; }
  void advance_to(std::uint64_t time_ns) {
    if (time_ns > now_ns_) now_ns_ = time_ns;
  }

 private:
  std::uint64_t now_ns_ = 0;
};

// Wall-clock time for people and records: "2026-11-21T10:30:00.250Z". The milliseconds order two
// campaigns. Never used to measure.
std::string utc_now();

}  // namespace nmt
