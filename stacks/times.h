// SPDX-License-Identifier: BSD-3-Clause
//
// Measurements of another stack, regrouped to compare settings: per session and rail, by what was
// sent, settings, size and round.
//
// Disturbed launches do not count, also where they are all that there is: they were measured in
// another state of the machine, and a ratio of two states says nothing of two settings.
//
// Each launch has its own speed. So the repetitions of a launch count as one number, their median,
// and two settings are compared round by round, that is by launches that followed each other. The
// ratio is the Hodges-Lehmann estimate over rounds, with the interval of the signed-rank test:
// exact for few rounds, and insensitive to one bad launch. Its confidence is 95 % from 6 rounds on.
// With 5, the widest interval that the test has is of 93.75 %. It counts all the same, because
// profiles hold such campaigns; commands say so (kRoundsOfFullConfidence).
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

namespace nmt::stacks {

// Condition::algorithm of the library's own choice, which includes its rules if it has any.
inline constexpr std::string_view kOwnChoice = "default";

// What was timed. Messages have no operation; for a program it is the command line.
struct StackKey {
  std::string operation;
  std::string algorithm;
  std::int64_t segment_bytes = 0;
  std::int64_t ranks = 0;
  std::string method;   // copy or rendezvous, if it was forced
  std::string variant;  // settings (stacks/settings.h)
  std::int64_t ranks_per_node = 0;
  auto operator<=>(const StackKey&) const = default;
};

// Options of a campaign: the versions of UCX and libfabric that its jobs had loaded.
inline constexpr std::string_view kUcxVersion = "ucx_version";
inline constexpr std::string_view kLibfabricVersion = "libfabric_version";

using ByRound = std::map<std::uint32_t, double>;  // nanoseconds
using StackTimes = std::map<std::uint64_t, ByRound>;

// With fewer rounds, a Ratio has no interval.
inline constexpr std::size_t kRoundsMin = 5;
// From so many rounds on, the interval of a Ratio is of 95 %.
inline constexpr std::size_t kRoundsOfFullConfidence = 6;

struct StackSamples {
  Campaign campaign;
  std::string rail;       // "openmpi/tcp"
  std::string placement;  // same-node, other-node
  std::string mpi;        // "Open MPI v4.1.4"
  std::string version;    // of the stack itself, "4.1.4"; empty if that is unknown
  std::map<StackKey, StackTimes> times;
};

// Samples of one stack, the newest campaign first.
std::vector<StackSamples> stack_samples(std::string_view stack, std::span<const SampleSet> sets);

// How many times as fast the second is; above 1 if it is faster.
struct Ratio {
  double value = 1;
  double low = 0;  // 95 % interval, of 5 rounds 94 %; unlimited if there are fewer
  double high = 0;
  std::size_t rounds = 0;

  bool faster() const { return low > 1; }
  bool slower() const { return high < 1; }
};
Ratio ratio_of(const ByRound& before, const ByRound& after);

// Over several cells: their geometric mean in each round.
using BeforeAfter = std::pair<const ByRound*, const ByRound*>;
Ratio ratio_over(std::span<const BeforeAfter> cells);
Ratio ratio_over(const StackTimes& before, const StackTimes& after,
                 std::span<const std::uint64_t> sizes_bytes);

double typical_ns(const ByRound& rounds);  // the median

}  // namespace nmt::stacks
