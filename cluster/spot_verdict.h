// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a few launches of now agree with those of a profile.
//
// A cell is slower if each launch of now is slower than all launches of the profile but one, which
// may have been disturbed, and further from the profile's median than both the tolerance and
// kSpotDeviations of what launches differ by. So a neighbour that disturbs some launches of now
// raises no alarm, and one that disturbed a launch of the profile hides none. A profile of fewer
// than five launches does not show how much launches differ: it can be agreed with, but nothing is
// slower or faster than it. Launches of now follow each other within seconds and share what that
// hour does to all of them, so one alarm is a suspicion; two, some time apart, are a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nmt::cluster {

enum class Spot { kAgrees, kSlower, kFaster, kCannotSay };
std::string_view to_string(Spot spot);
constexpr bool is_changed(Spot spot) { return spot == Spot::kSlower || spot == Spot::kFaster; }

struct SpotVerdict {
  Spot spot = Spot::kCannotSay;
  double ratio = 1;  // of the medians, now / profile
};

inline constexpr std::size_t kSpotLaunchesMin = 3;     // fewer of now cannot say
inline constexpr std::size_t kProfileLaunchesMin = 5;  // fewer cannot say that anything differs

inline constexpr double kSpotDeviations = 4;

// The standard deviation of a cell's launches, in logarithms, by the median of their distances from
// the median, since some launches are far off; 0 of fewer than two.
double launch_spread(std::span<const double> launches_ns);

struct CellLaunches {
  std::uint64_t size_bytes = 0;
  std::vector<double> launches_ns;  // one duration for each
};

// The median of launch_spread() over the cells of `cells_ns`, of those with as many launches; 0 if
// there is none.
double usual_spread(std::span<const std::vector<double>> cells_ns, std::size_t launches_min);

// The same over the twelve cells whose sizes are nearest, since small messages wait for processors
// and large ones for the wire, which differs less from launch to launch.
double usual_spread_near(std::uint64_t size_bytes, std::span<const CellLaunches> cells,
                         std::size_t launches_min);

struct SpotLimits {
  double tolerance = 0.05;  // a fraction
  double usual_spread = 0;  // of cells of about the same size
};

// Durations in nanoseconds, one for each launch. Few launches show a cell's own spread badly, so it
// counts half, and the usual one the other half.
SpotVerdict judge_spot(std::span<const double> profile_ns, std::span<const double> now_ns,
                       const SpotLimits& limits);

}  // namespace nmt::cluster
