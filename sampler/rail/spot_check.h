// SPDX-License-Identifier: BSD-3-Clause
//
// A few cells of a rail measured within a second or two, several times from the start: to compare
// them with what a profile says, not to derive anything.
//
// Each launch opens the rail anew, because launches differ more than repetitions do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sampler/rail/benchmark.h"
#include "sampler/rail/campaign.h"

namespace nmt::sampler {

struct SpotCell {
  Experiment experiment;
  // Exchanges in a repetition, as many as in the profile: where single messages are late, a longer
  // repetition is slower.
  std::uint32_t batch = 1;
  double expected_ns = 0;  // of one message, for the number of repetitions
};

struct SpotCheck {
  // By cell, then by launch: the median duration of one message, in nanoseconds.
  std::vector<std::vector<double>> launches_ns;
  double elapsed_ns = 0;
};

inline constexpr std::size_t kSpotLaunches = 5;

// Up to kSpotLaunches launches, fewer if `budget_ns` ends; always one. Throws as run_campaign()
// does if the rail or its peer fails. A peer runs answer_campaign(), and end_spot_checks() releases
// it.
//
// `rails` are all that were agreed with the peer, in the order that it knows; `measured` is one.
SpotCheck spot_check(std::span<const RailToSample> rails, std::size_t measured,
                     const std::vector<SpotCell>& cells, double budget_ns);
void end_spot_checks(control::Connection& peer);

}  // namespace nmt::sampler
