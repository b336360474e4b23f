// SPDX-License-Identifier: BSD-3-Clause
//
// Fills rails like connected vessels: finds the earliest time at which they have together carried a
// message. The exact split for any number of rails (papers "sampling-based auto-tuning", III-C,
// "multirail on multicore", II-B).
//
// By the time t, rail i has carried S_i(t - r_i): r_i is its release, and S_i the inverse of its
// monotone curve. The sum rises with t and is linear between break points, so a Newton step is
// exact once it stays between the same two points. Nearly always that takes one to three steps.
// Other cases, and smallest chunks, use bisection over the break points. Times are relative to the
// first release, so that 24 bits of mantissa are enough. A SplitSolver is a local variable: it
// never allocates and never throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/tables.h"

namespace nmt {

// How long the rail of this table takes for `size_bytes`: the inverse of the inverse.
float time_for(const TimeTable& table, std::uint64_t size_bytes);

// One rail, with the last piece of its table that was looked up; all times from the solver's
// origin.
struct RailFill {
  const TimeTable* table;
  float release_ns;
  float least_end_ns;         // when the smallest chunk has been carried
  std::uint64_t least_bytes;  // carries this much or nothing
  float start_ns;             // of the piece
  float bytes;                // carried at start_ns
  float bytes_per_ns;
  std::uint32_t piece;
  std::uint64_t chunk;  // the result

  float bytes_at(float time_ns) const { return bytes + (time_ns - start_ns) * bytes_per_ns; }
};

// Converts what the rails have carried at `time_ns` into whole bytes with the right sum. Returns
// when the last chunk ends, which may be a little later. Negative if the smallest chunks alone
// exceed the message.
float assign_bytes(RailFill* fills, std::size_t rails, float time_ns, std::uint64_t size_bytes);

// The robust method, for smallest chunks, jumps, and Newton steps that do not converge.
float solve_by_bisection(RailFill* fills, std::size_t rails, float size_bytes);

class SplitSolver {
 public:
  static constexpr std::size_t kRailsMax = 64;

  explicit SplitSolver(double origin_ns) : origin_ns_(origin_ns) {}

  void add(const TimeTable& table, double release_ns, std::uint64_t least_bytes) {
    const auto release = static_cast<float>(release_ns - origin_ns_);
    const float least_end = least_bytes > 0 ? release + time_for(table, least_bytes) : 0;
    fills_[rails_++] = {&table, release, least_end, least_bytes, 0, 0, 0, 0, 0};
    minima_ = minima_ || least_bytes > 0;
  }

  // The time at which `size_bytes` have been carried; chunk(i) is the part of each rail. Negative
  // if the smallest chunks exclude a solution. `guess_ns` should be a little late.
  double solve(std::uint64_t size_bytes, double guess_ns) {
    const auto bytes = static_cast<float>(static_cast<std::int64_t>(size_bytes));
    float time_ns = solve_by_newton(bytes, static_cast<float>(guess_ns - origin_ns_));
    if (time_ns < 0 || (minima_ && below_minimum(time_ns))) [[unlikely]] {
      time_ns = solve_by_bisection(fills_, rails_, bytes);
    }
    time_ns = assign_bytes(fills_, rails_, time_ns, size_bytes);
    if (time_ns < 0) return time_ns;
    return origin_ns_ + static_cast<double>(time_ns);
  }

  std::size_t rails() const { return rails_; }
  std::uint64_t chunk(std::size_t rail) const { return fills_[rail].chunk; }

 private:
  // Negative if it does not converge.
  float solve_by_newton(float size_bytes, float time_ns) {
    constexpr int kStepsMax = 6;
    for (int step = 0; step < kStepsMax; ++step) {
      float carried = 0, bytes_per_ns = 0;
      float first_ns = 0, last_ns = 1e30f;  // the range in which every piece continues
      for (std::size_t i = 0; i < rails_; ++i) {
        RailFill& fill = fills_[i];
        const TimeTable& table = *fill.table;
        const float alone_ns = std::max(0.0f, time_ns - fill.release_ns);
        const std::uint32_t piece = table.piece_at(std::bit_cast<std::uint32_t>(alone_ns));
        fill.piece = piece;
        fill.bytes = table.bytes[piece];
        fill.bytes_per_ns = table.bytes_per_ns[piece];
        fill.start_ns = fill.release_ns + table.start(piece);
        carried += fill.bytes + (alone_ns - table.start(piece)) * fill.bytes_per_ns;
        bytes_per_ns += fill.bytes_per_ns;
        first_ns = std::max(first_ns, piece > 0 ? fill.start_ns : 0);
        last_ns = std::min(last_ns, fill.release_ns + table.start(piece + 1));
      }
      // Compares bytes to see whether the step stays between both break points: times are too
      // coarse where a piece is steep. At a break point itself an earlier time may also be a
      // solution.
      const bool settled = carried + (first_ns - time_ns) * bytes_per_ns < size_bytes &&
                           size_bytes <= carried + (last_ns - time_ns) * bytes_per_ns;
      time_ns += (size_bytes - carried) / bytes_per_ns;
      if (!(time_ns >= 0 && time_ns < 1e30f)) break;
      if (settled) return time_ns;
    }
    return -1;
  }

  bool below_minimum(float time_ns) const {
    bool below = false;
    for (std::size_t i = 0; i < rails_; ++i) {
      const float bytes = fills_[i].bytes_at(time_ns);
      below |= bytes > 0 && time_ns < fills_[i].least_end_ns;
    }
    return below;
  }

  double origin_ns_;
  std::size_t rails_ = 0;
  bool minima_ = false;
  RailFill fills_[kRailsMax];
};

}  // namespace nmt
