// SPDX-License-Identifier: BSD-3-Clause
//
// Samples regrouped for deriving: per path, regime, placement and busy rails, all sessions pooled,
// with the speeds of rounds and sessions removed.
//
// Rounds stay apart, because decisions compare what was measured within one round. Held-out
// samples are kept beside the others and only verify() reads them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/sample.h"

namespace nmt {

struct CurveKey {
  std::string benchmark;
  std::string method;
  std::string variant;
  auto operator<=>(const CurveKey&) const = default;
};

// Durations of one operation in nanoseconds, by round. Equal keys of two cells: the same round of
// the same session. Keys are in order of time within a session.
using Rounds = std::map<std::uint64_t, std::vector<double>>;
using CellsBySize = std::map<std::uint64_t, Rounds>;
using Cells = std::map<CurveKey, CellsBySize>;

struct RailSamples {
  std::string rail;
  Id path;
  std::string regime;
  std::string placement;
  std::string busy_rails;
  Cells sampled;
  Cells held_out;
};

// Solo and hot first, else in order of names. Repetitions as trusted().
std::vector<RailSamples> pool(std::span<const SampleSet> sets);

std::vector<double> all_durations(const Rounds& rounds);

}  // namespace nmt
