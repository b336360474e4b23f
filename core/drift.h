// SPDX-License-Identifier: BSD-3-Clause
//
// Common factors of speed, estimated and removed: drift between the rounds of one session, and
// between sessions.
//
// A shared machine speeds up and slows down by 5 to 11 % within minutes. Every round of a campaign
// measures the anchor cells again, so rounds share cells. log(duration) = cell + round + noise is
// solved by the Huber loss, which is linear for large deviations, so that an outlier cannot move a
// round. Tukey's median polish does not work: alternating medians stop at wrong answers if most
// cells were measured before a change of speed, and only the anchors after it. The rest of a cell
// is its duration at the session's usual speed. A cell measured in one round only takes that
// round's factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/sample.h"

namespace nmt {

// Duration of one cell in one group (a round or a session).
struct GroupedDuration {
  std::size_t cell = 0;
  std::uint32_t group = 0;
  double duration_ns = 0;  // > 0
};

// Factor by which each group was slower (> 1) or faster (< 1) than the median group, from the cells
// that several groups share. A group that shares no cell is absent.
std::map<std::uint32_t, double> common_factors(std::span<const GroupedDuration> durations);

// Factor by which each round was slower (> 1) or faster (< 1) than the session's median round.
using DriftFactors = std::map<std::uint32_t, double>;

// From all samples of one path and session. The factor is 1 for a round without a shared cell. It
// is also 1 where the cells of a round disagree, or where they differ by more than a machine
// drifts: then something other than drift happened.
DriftFactors estimate_drift(std::span<const Sample> samples);

// Durations of one operation, of the trusted() repetitions, with drift removed.
struct RoundDurations {
  std::uint32_t round = 0;
  double median_ns = 0;  // of this round's repetitions, drift removed
  std::size_t n = 0;
};
std::vector<RoundDurations> by_round(const Sample& sample, const DriftFactors& drift);

}  // namespace nmt
