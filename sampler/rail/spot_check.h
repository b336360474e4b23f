// SPDX-License-Identifier: BSD-3-Clause
//
// A few cells of some rails measured within a second or two, several times from the start: to
// compare them with what a profile says, not to derive anything.
//
// Each launch opens its rail anew, because launches differ more than repetitions do. The rails take
// turns, so that each is looked at over all of the time: what disturbs the node for less than that
// does not disturb all launches of any rail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

// Of one rail.
struct SpotCheck {
  // By cell, then by launch: the median duration of one message, in nanoseconds.
  std::vector<std::vector<double>> launches_ns;
  double elapsed_ns = 0;
  std::string failure;  // why the rail could not be measured; empty if it could
};

inline constexpr std::size_t kSpotLaunches = 7;
inline constexpr std::size_t kSpotLaunchesLeast = 3;  // what a verdict needs

// Up to kSpotLaunches launches of each rail, fewer if `budget_ns` for all of them ends; but for
// kSpotLaunchesLeast it may take three times as long. Always one. A launch that fails, which may
// have waited for long, does not count. A peer runs answer_campaign(), and end_spot_checks()
// releases it.
//
// `rails` are all that were agreed with the peer, in the order that it knows; `cells_of_rail[i]`
// are the cells of rails[i], none of a rail that is not to be measured. One result for each rail.
std::vector<SpotCheck> spot_check(std::span<const RailToSample> rails,
                                  std::span<const std::vector<SpotCell>> cells_of_rail,
                                  double budget_ns);
void end_spot_checks(control::Connection& peer);

}  // namespace nmt::sampler
