// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls that were measured, predicted from those of other numbers of ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contention/fit.h"

namespace nmt::bench {

struct HeldOut {
  std::int64_t ranks = 0;
  std::uint64_t size_bytes = 0;
  double measured_ns = 0;  // median
  double predicted_ns = 0;
  Interval interval_ns;
  // By the published method, fitted at the largest of the fitted numbers of ranks.
  double ordinary_ns = 0;
  double generalized_ns = 0;
  // The same, fitted at the largest number that was measured, which is among what is predicted: as
  // near to saturation as there are measurements.
  double ordinary_at_most_ns = 0;
  double generalized_at_most_ns = 0;
  bool large = false;  // from the fitted M on

  double error() const { return std::abs(predicted_ns / measured_ns - 1); }
  double ordinary_error() const { return std::abs(ordinary_ns / measured_ns - 1); }
  double generalized_error() const { return std::abs(generalized_ns / measured_ns - 1); }
  double ordinary_at_most_error() const { return std::abs(ordinary_at_most_ns / measured_ns - 1); }
  double generalized_at_most_error() const {
    return std::abs(generalized_at_most_ns / measured_ns - 1);
  }
  bool covered() const { return interval_ns.low <= measured_ns && measured_ns <= interval_ns.high; }
};

// Every cell of a number of ranks that is not among the fitted ones.
std::vector<HeldOut> held_out(const contention::AlltoallTimes& measured,
                              std::span<const std::int64_t> fitted);

}  // namespace nmt::bench
