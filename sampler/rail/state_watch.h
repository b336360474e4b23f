// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the machine was in its usual state during a block.
//
// A virtual machine's cores move between physical ones (siblings of one core, one cache, another
// cache) every few seconds, without a trace in any counter; frequency steps and a neighbour's
// memory traffic are other states. Within a state a duration keeps within some percent, between
// states it may change fourfold, and not by the same factor for every method: no drift factor can
// remove that. So each block starts and ends with a few repetitions of sentinels, and blocks whose
// sentinels are unlike those of the largest group of blocks alike are disturbed. Which group is the
// largest can change as the campaign goes on. Pure: knows no clock.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace nmt {

// Sentinels' durations at the start and the end of a block: log of nanoseconds.
inline constexpr std::size_t kSentinels = 2;
using SentinelTimes = std::array<double, 2 * kSentinels>;

class StateWatch {
 public:
  void add(const SentinelTimes& times) { blocks_.push_back(times); }

  // Per block, in order: whether it was in the usual state. With no more than a few blocks, all.
  std::vector<bool> usual() const;

 private:
  std::vector<SentinelTimes> blocks_;
};

}  // namespace nmt
