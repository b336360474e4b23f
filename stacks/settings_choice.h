// SPDX-License-Identifier: BSD-3-Clause
//
// Which settings of another stack are worth having, from what was measured under them.
//
// First, from messages forced to eager and to rendezvous, the size at which changing costs least
// (the papers' threshold, by regret). It is only a candidate: what a limit does beside moving the
// change is seen when it is measured as a setting. Then, for each group of settings, its launches
// with and without it: kept where it is measurably better on the sizes that it is about, and makes
// no size measurably slower. The newest campaign that compared it decides, so that what lost in an
// A/B stays withdrawn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stacks/times.h"

namespace nmt {

struct StackThreshold {
  std::uint64_t eager_bytes_max = 0;  // rendezvous above
  double regret = 0;                  // mean slowdown over the sizes, against the better of both
};
// nullopt where fewer than two sizes were sent both ways. The same between eager messages that are
// copied and those that are not.
std::optional<StackThreshold> choose_threshold(const StackTimes& eager,
                                               const StackTimes& rendezvous);

// The sizes that a group of settings is about, `from` inclusive; all where both are nullopt.
struct AffectedSizes {
  std::optional<std::uint64_t> from_bytes;
  std::optional<std::uint64_t> to_bytes;  // exclusive
};

// One group of settings with values, and what they were seen to do.
struct GroupVerdict {
  std::string group;
  Fields settings;
  Fields defaults;  // of those, where the stack tells them
  std::string rail;
  std::string placement;
  std::string mpi;
  std::string host;  // where it was measured
  std::string measured_utc;
  Ratio gain;                         // over the sizes that it is about
  std::uint64_t best_size_bytes = 0;  // where it gains most
  Ratio best;
  bool kept = false;
  std::string reason;  // why not
};

// One for each group that was ever compared; of several values the best of the newest campaign.
std::vector<GroupVerdict> judge_groups(std::span<const StackSamples> samples);

// A setting makes no size slower than the default by more than this.
inline constexpr double kStackLoss = 0.02;

// The first of some sizes that is made slower by more than that beyond doubt; each is taken with
// its neighbours too, since of many sizes alone some are always unlucky.
struct StackLoss {
  std::uint64_t size_bytes = 0;
  Ratio ratio;
};
std::optional<StackLoss> first_loss(const StackTimes& without, const StackTimes& with,
                                    std::span<const std::uint64_t> sizes_bytes);

}  // namespace nmt
