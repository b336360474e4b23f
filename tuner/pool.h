// SPDX-License-Identifier: BSD-3-Clause
//
// Samples regrouped to derive a plan: by path, regime, placement, busy rails and ranks per NIC,
// with all sessions pooled and the speeds of rounds and sessions removed.
//
// Rounds stay separate, because decisions compare measurements of one round. Held-out samples are
// kept too, but only verify() reads them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/sample.h"

namespace nmt::tuner {

struct CurveKey {
  std::string benchmark;
  std::string method;
  std::string variant;
  auto operator<=>(const CurveKey&) const = default;
};

// Durations of one operation in nanoseconds, by round. Equal keys in two cells are the same round
// of the same session. Within a session, keys are in order of time.
using Rounds = std::map<std::uint64_t, std::vector<double>>;
using CellsBySize = std::map<std::uint64_t, Rounds>;
using Cells = std::map<CurveKey, CellsBySize>;

struct RailSamples {
  std::string rail;
  Id path;
  std::string regime;
  std::string placement;
  std::string busy_rails;
  std::int64_t ranks_per_nic = 1;
  Cells sampled;
  Cells held_out;
};

// Per rail, those of one rank come first, then alone and hot ones, the others by name. Repetitions
// are the trusted() ones.
std::vector<RailSamples> pool(std::span<const SampleSet> sets);

std::vector<double> all_durations(const Rounds& rounds);

}  // namespace nmt::tuner
