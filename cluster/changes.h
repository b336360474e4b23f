// SPDX-License-Identifier: BSD-3-Clause
//
// What became slower or faster between two sets of launches, told from noise.
//
// The unit of noise is the launch: all repetitions of a launch share what differs from launch to
// launch (where memory lies, what else runs), so more of them make nothing surer. Each launch gives
// one duration for each cell. Two questions are asked: whether a rail changed as a whole (the
// median over the half of its cells that varies least), and whether a cell changed more than its
// rail did. The answer to all of them at once is a permutation test: launches are relabelled before
// and after in all ways, or in many, and a change counts if few relabellings show a change as large
// anywhere (Westfall and Young 1993, the single-step maxT). So cells may depend on one another, and
// noise may have any distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/statistics.h"

namespace nmt::cluster {

struct LaunchTime {
  std::size_t cell = 0;
  bool after = false;
  std::size_t launch = 0;  // in order, within its side
  double duration_ns = 0;
};

struct Change {
  std::size_t cell = 0;
  double ratio = 1;   // after / before; > 1 is slower
  Interval interval;  // 95 %
  double chance = 1;  // how often chance would change any cell so much
  bool beyond_noise = false;
};

struct ChangeOptions {
  double chance_max = 0.005;     // of any false alarm
  double chance_of_few = 0.008;  // the same of fewer launches: what five a side just reach
  std::uint64_t seed = 1;        // of the relabellings, where there are too many to try all
};

// Whether there are enough launches to tell a change from noise: five on each side, or fewer on one
// side and more on the other (two against 21).
enum class Evidence {
  kEnough,
  kTooFewLaunches,
  kTooFewOfEachCell,  // enough launches, but no cell was measured in enough of both sides
};

struct Changes {
  std::vector<Change> cells;  // with enough launches on both sides; by cell
  std::size_t launches_before = 0;
  std::size_t launches_after = 0;
  Evidence evidence = Evidence::kTooFewLaunches;  // if not kEnough, nothing is beyond noise
};

// `rail_of_cell`: which cells are of one rail, by any number.
Changes find_changes(std::span<const std::size_t> rail_of_cell, std::span<const LaunchTime> times,
                     const ChangeOptions& options = {});

// Whether that many launches can reach options.chance_of_few at all.
bool are_enough(std::size_t before, std::size_t after, const ChangeOptions& options = {});

}  // namespace nmt::cluster
