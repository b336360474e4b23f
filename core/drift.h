// SPDX-License-Identifier: BSD-3-Clause
//
// Drift between the rounds of one session, estimated and removed.
//
// A shared machine speeds up and slows down by 5 to 11 % in minutes. Every round of a campaign
// measures the anchor cells again, so rounds share cells, and log(duration) = cell + round + noise
// is solved by median polish (alternating medians; Tukey). What is left of a cell is its duration
// at the session's usual speed. Cells seen in one round only inherit that round's factor.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/sample.h"

namespace nmt {

// Factor by which each round was slower (> 1) or faster (< 1) than the session's median round.
using DriftFactors = std::map<std::uint32_t, double>;

// From all samples of one path and session; rounds without a shared cell get 1.
DriftFactors estimate_drift(std::span<const Sample> samples);

// Durations of one operation with drift removed; disturbed repetitions as in summarize().
struct RoundDurations {
  std::uint32_t round = 0;
  double median_ns = 0;  // of this round's repetitions, drift removed
  std::size_t n = 0;
};
std::vector<RoundDurations> by_round(const Sample& sample, const DriftFactors& drift);

}  // namespace nmt
