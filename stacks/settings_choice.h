// SPDX-License-Identifier: BSD-3-Clause
//
// Which settings of another stack pay, from measurements under these settings.
//
// First, messages forced to eager and to rendezvous give the size at which changing costs least
// (the papers' threshold, by regret). This is only a candidate, because a limit may have other
// effects than moving the change; measuring it as a setting shows them. Then each group of settings
// is judged by its launches with and without it. It is kept if it is measurably better on the sizes
// that it affects and makes no size measurably slower. The newest campaign that compared it
// decides, so a setting that lost in an A/B stays withdrawn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stacks/times.h"

namespace nmt::stacks {

struct StackThreshold {
  std::uint64_t eager_bytes_max = 0;  // rendezvous above this size
  double regret = 0;                  // mean slowdown over the sizes, against the better of both
};
// The same sizes sent both ways, on one transport.
struct StackProtocols {
  StackTimes eager, rendezvous;
};
// nullopt if fewer than two sizes were sent both ways. Of several transports, which share one
// setting: the size of least combined regret. Also used for eager messages that are copied and
// eager messages that are not.
std::optional<StackThreshold> choose_threshold(std::span<const StackProtocols> transports);

// The sizes that a group of settings affects; all sizes if both are nullopt.
struct AffectedSizes {
  std::optional<std::uint64_t> from_bytes;
  std::optional<std::uint64_t> to_bytes;  // exclusive
};

// One group of settings with values, and its measured effect.
struct GroupVerdict {
  std::string group;
  Fields settings;
  Fields defaults;  // of these settings, if the stack reports them
  std::string rail;
  std::string placement;
  std::string mpi;
  std::string version;  // of the stack; empty if that is unknown
  std::string host;     // where it was measured
  std::string measured_utc;
  Ratio gain;                         // over the sizes that it affects
  std::uint64_t best_size_bytes = 0;  // size with the largest gain
  Ratio best;
  bool kept = false;
  std::string reason;  // if it was not kept
  std::string shared;  // if one value is for several networks: which, and what it costs them
};

// One verdict for each group that was compared, of samples under one version of the stack. If a
// group has several values, it is about the best one of the newest campaign. UCX has one threshold
// for messages between nodes, but a campaign samples one network. So if campaigns have sent
// messages both ways over several networks, the verdict is about the value of least combined
// regret.
std::vector<GroupVerdict> judge_groups(std::span<const StackSamples> samples);

// A setting may make no size slower than the default by more than this.
inline constexpr double kStackLoss = 0.02;

// The sizes that are slower by more than this with statistical certainty. Each size is also taken
// together with its neighbours, because among many sizes some are slower by chance.
struct StackLoss {
  std::uint64_t size_bytes = 0;
  Ratio ratio;
};
std::vector<StackLoss> losses_in(const StackTimes& without, const StackTimes& with,
                                 std::span<const std::uint64_t> sizes_bytes);

}  // namespace nmt::stacks
