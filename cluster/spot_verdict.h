// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a few launches of now agree with those of a profile.
//
// A cell is slower if every launch of now is slower than the slowest launch of the profile, by
// which chance is excluded as far as so few launches can, and the ratio of the medians is beyond
// the tolerance. So a neighbour that disturbs some of the launches raises no alarm. A profile of
// fewer than five launches does not show how much launches differ: it can be agreed with, but
// nothing is slower or faster than it.
#pragma once

#include <span>
#include <string_view>

namespace nmt::cluster {

enum class Spot { kAgrees, kSlower, kFaster, kCannotSay };
std::string_view to_string(Spot spot);

struct SpotVerdict {
  Spot spot = Spot::kCannotSay;
  double ratio = 1;  // of the medians, now / profile
};

inline constexpr std::size_t kSpotLaunchesMin = 3;     // fewer of now cannot say
inline constexpr std::size_t kProfileLaunchesMin = 5;  // fewer cannot say that anything differs

// Durations in nanoseconds, one for each launch. `tolerance` is a fraction.
SpotVerdict judge_spot(std::span<const double> profile_ns, std::span<const double> now_ns,
                       double tolerance);

}  // namespace nmt::cluster
