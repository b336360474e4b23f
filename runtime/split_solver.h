// SPDX-License-Identifier: BSD-3-Clause
//
// Fills rails like connected vessels: finds the earliest time at which they have together carried a
// message. The exact split for any number of rails (papers "sampling-based auto-tuning", III-C,
// "multirail on multicore", II-B).
//
// By the time t, rail i has carried S_i(t - r_i): r_i is its release, and S_i the inverse of its
// monotone curve. The sum rises with t and is linear between break points, so a Newton step is
// exact once it stays between the same two points. The search keeps the answer between two times.
// A Newton step that leaves them, and every third step, is replaced by the break point in the
// middle of those that remain, so the number of steps is bounded by the logarithm of their number,
// whatever flats and jumps the curves have. Nearly always two or three steps are enough. Smallest
// chunks are jumps like others. Times are relative to the first release, so that 24 bits of
// mantissa are enough. A SplitSolver is a local variable: it never allocates and never throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/tables.h"

namespace nmt::runtime {

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
  std::uint32_t low_piece;  // pieces of the two times between which the answer is
  std::uint32_t high_piece;
  std::uint64_t chunk;  // the result

  float begins_ns(std::uint32_t at) const {  // a piece after the first
    return std::max(release_ns + table->start(at), least_end_ns);
  }
  float bytes_at(float time_ns) const { return bytes + (time_ns - start_ns) * bytes_per_ns; }
  // When the chunk ends, of a message that ends at `time_ns`: earlier if one more byte would cross
  // a jump.
  float chunk_end_ns(float time_ns) const {
    const float past = static_cast<float>(static_cast<std::int64_t>(chunk)) - bytes;
    return std::min(time_ns, past > 0 ? start_ns + past / bytes_per_ns : start_ns);
  }
};

// Converts what the rails have carried at `time_ns` into whole bytes with the right sum. Returns
// when the last chunk ends, which may be a little later. Negative if the smallest chunks alone
// exceed the message.
float assign_bytes(RailFill* fills, std::size_t rails, float time_ns, std::uint64_t size_bytes);

// The earliest time at which the rails have carried `size_bytes`; `time_ns` is where to begin.
// Fills have the pieces of that time.
float find_time(RailFill* fills, std::size_t rails, float size_bytes, float time_ns);

class SplitSolver {
 public:
  static constexpr std::size_t kRailsMax = 64;

  explicit SplitSolver(double origin_ns) : origin_ns_(origin_ns) {}

  void add(const TimeTable& table, double release_ns, std::uint64_t least_bytes) {
    const auto release = static_cast<float>(release_ns - origin_ns_);
    const float least_end = least_bytes > 0 ? release + time_for(table, least_bytes) : 0;
    fills_[rails_++] = {&table, release, least_end, least_bytes, 0, 0, 0, 0, 0, 0, 0};
  }

  // The time at which `size_bytes` have been carried; chunk(i) is the part of each rail. Negative
  // if the smallest chunks exclude a solution. `guess_ns` is where the search begins.
  double solve(std::uint64_t size_bytes, double guess_ns) {
    const auto bytes = static_cast<float>(static_cast<std::int64_t>(size_bytes));
    float time_ns = find_time(fills_, rails_, bytes, static_cast<float>(guess_ns - origin_ns_));
    time_ns = assign_bytes(fills_, rails_, time_ns, size_bytes);
    end_ns_ = time_ns;
    if (time_ns < 0) return time_ns;
    return origin_ns_ + static_cast<double>(time_ns);
  }

  std::size_t rails() const { return rails_; }
  std::uint64_t chunk(std::size_t rail) const { return fills_[rail].chunk; }
  double chunk_end_ns(std::size_t rail) const {
    return origin_ns_ + static_cast<double>(fills_[rail].chunk_end_ns(end_ns_));
  }

 private:
  double origin_ns_;
  float end_ns_ = 0;  // of the message, from the origin
  std::size_t rails_ = 0;
  RailFill fills_[kRailsMax];
};

}  // namespace nmt::runtime
