// SPDX-License-Identifier: BSD-3-Clause
//
// Common factors of speed, estimated and removed: drift between the rounds of one session, and
// between sessions.
//
// A shared machine speeds up and slows down by 5 to 11 % in minutes. Every round of a campaign
// measures the anchor cells again, so rounds share cells, and log(duration) = cell + round + noise
// is solved by least squares that turn linear for large deviations (Huber), so that an outlier
// cannot pull a round. Not by Tukey's median polish: alternating medians stop at wrong answers
// where most cells were seen before a change of speed and the anchors alone after it. What is left
// of a cell is its duration at the session's usual speed. Cells seen in one round only inherit
// that round's factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/sample.h"

namespace nmt {

// Duration of one cell in one group (a round, a session).
struct GroupedDuration {
  std::size_t cell = 0;
  std::uint32_t group = 0;
  double duration_ns = 0;  // > 0
};

// Factor by which each group was slower (> 1) or faster (< 1) than the median group, from the
// cells that several groups share; groups that share none are left out.
std::map<std::uint32_t, double> common_factors(std::span<const GroupedDuration> durations);

// Factor by which each round was slower (> 1) or faster (< 1) than the session's median round.
using DriftFactors = std::map<std::uint32_t, double>;

// From all samples of one path and session. 1 for rounds without a shared cell, and for those whose
// cells do not agree or differ by more than machines drift: something else happened there.
DriftFactors estimate_drift(std::span<const Sample> samples);

// Durations of one operation with drift removed, of the trusted() repetitions.
struct RoundDurations {
  std::uint32_t round = 0;
  double median_ns = 0;  // of this round's repetitions, drift removed
  std::size_t n = 0;
};
std::vector<RoundDurations> by_round(const Sample& sample, const DriftFactors& drift);

}  // namespace nmt
