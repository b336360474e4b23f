// SPDX-License-Identifier: BSD-3-Clause
//
// The noise of launches as this lab has it, to be resampled: 24 campaigns of 16 s of two hosts with
// rails of 1000 and 600 Mbit/s on one machine of two cores, and 24 while a neighbour computed in
// bursts, by turns (launches.csv: the median of each cell in each launch). No formula makes any of
// it. The part "record" (record.cpp) recorded them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::bench {

struct RecordedCell {
  std::string rail, method;
  std::uint64_t size_bytes = 0;
  auto operator<=>(const RecordedCell&) const = default;
};
// Durations in nanoseconds, by launch.
using Recorded = std::map<RecordedCell, std::map<std::size_t, double>>;

struct RecordedLaunches {
  Recorded durations_ns;
  std::set<std::size_t> disturbed;  // beside a neighbour
};
RecordedLaunches read_launches();  // ends the program if the file cannot be read
Recorded read_recorded();          // those that no neighbour disturbed

// Of one rail, in order.
std::vector<std::size_t> launches_of(const Recorded& recorded, std::string_view rail);

// What a launch adds to a latency and to a bandwidth: logarithms around their median, drawn
// together from one launch.
struct LaunchNoise {
  double latency = 0, bandwidth = 0;
};
std::vector<LaunchNoise> launch_noise(const Recorded& recorded);

std::size_t draw(std::mt19937_64& random, std::size_t below);

}  // namespace nmt::bench
