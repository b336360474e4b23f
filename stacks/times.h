// SPDX-License-Identifier: BSD-3-Clause
//
// What was measured of another stack, regrouped to compare settings: per session and rail, by what
// was sent, the settings, the size and the round.
//
// A launch has a speed of its own, so its repetitions count as one number, their median, and two
// settings are compared round by round, launches that followed each other. The ratio is the
// Hodges-Lehmann estimate over rounds with the interval of the signed-rank test: exact for few
// rounds, and one bad launch cannot move it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sample.h"
#include "core/statistics.h"

namespace nmt {

// What Condition::algorithm says of the library's own choice, rules included where it has some.
inline constexpr std::string_view kOwnChoice = "default";

// What was timed. Messages have no operation; a program has its command line there.
struct StackKey {
  std::string operation;
  std::string algorithm;
  std::int64_t segment_bytes = 0;
  std::int64_t ranks = 0;
  std::string method;   // copy or rendezvous, where it was forced
  std::string variant;  // settings (stacks/settings.h)
  std::int64_t ranks_per_node = 0;
  auto operator<=>(const StackKey&) const = default;
};

using ByRound = std::map<std::uint32_t, double>;  // nanoseconds
using StackTimes = std::map<std::uint64_t, ByRound>;

struct StackSamples {
  Campaign campaign;
  std::string rail;       // "openmpi/tcp"
  std::string placement;  // same-node, other-node
  std::string mpi;        // "Open MPI v4.1.4"
  std::map<StackKey, StackTimes> times;
};

// Those of one stack, the newest campaign first.
std::vector<StackSamples> stack_samples(std::string_view stack, std::span<const SampleSet> sets);

// How many times as fast the second is: above 1 where it is faster.
struct Ratio {
  double value = 1;
  double low = 0;  // 95 % interval; as wide as can be where rounds are too few to tell
  double high = 0;
  std::size_t rounds = 0;

  bool faster() const { return low > 1; }
  bool slower() const { return high < 1; }
};
Ratio ratio_of(const ByRound& before, const ByRound& after);

// Over some cells together: their geometric mean in each round.
using BeforeAfter = std::pair<const ByRound*, const ByRound*>;
Ratio ratio_over(std::span<const BeforeAfter> cells);
Ratio ratio_over(const StackTimes& before, const StackTimes& after,
                 std::span<const std::uint64_t> sizes_bytes);

double typical_ns(const ByRound& rounds);  // their median

}  // namespace nmt
