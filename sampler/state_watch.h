// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the machine was in its usual state during a block.
//
// The cores of a virtual machine move between physical ones (siblings of one core, one cache,
// another cache) every few seconds, and no counter shows it. Steps of the frequency and a
// neighbour's memory traffic are other states. Within one state a duration varies by some percent.
// Between states it may change fourfold, by a different factor for each method, so no drift factor
// can remove that. So each block starts and ends with a few repetitions of sentinels; where another
// stack is measured, a launch is a block. Blocks whose sentinels differ from those of the largest
// group of similar blocks count as disturbed. Until it is settled, the largest group may change.
// Pure: has no clock.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace nmt::sampler {

// Sentinels' durations at the start and at the end of a block: logarithms of nanoseconds.
inline constexpr std::size_t kSentinels = 2;
using SentinelTimes = std::array<double, 2 * kSentinels>;

// Between two logarithms of one state: above the drift within a state (5 to 11 % on shared
// machines), below the step between states.
inline constexpr double kStateTolerance = 0.25;

class StateWatch {
 public:
  void add(const SentinelTimes& times) { blocks_.push_back(times); }
  // From now on the usual state is the one that is usual now, if there is one.
  void settle();

  // Per block, in order: whether the state was the usual one. True for all while there are few
  // blocks.
  std::vector<bool> usual() const;

 private:
  const SentinelTimes* centre() const;  // of the usual state; null if there are too few blocks

  std::vector<SentinelTimes> blocks_;
  std::optional<SentinelTimes> settled_;
};

}  // namespace nmt::sampler
