// SPDX-License-Identifier: BSD-3-Clause
//
// Measured alltoalls as a profile keeps them, made ready for a fit.
//
// An alltoall is a sample of benchmark::kCollective with the operation "alltoall"; the message
// alone one of benchmark::kMessage; many messages at a time one of benchmark::kConnections. Where
// sessions measured both, what a session's messages took more or less than usual is taken off its
// alltoalls: interleaved, both drift alike. A campaign's option "cores" says how many cores all
// ranks had together.
#pragma once

#include <span>
#include <vector>

#include "contention/fit.h"
#include "core/sample.h"

namespace nmt {

inline constexpr char kAlltoall[] = "alltoall";  // Condition::operation
inline constexpr char kCoresOption[] = "cores";  // Campaign::options

// One for each algorithm and number of ranks per node that was measured; held-out samples are not
// in them.
std::vector<AlltoallTimes> alltoall_times(std::span<const SampleSet> sets);

}  // namespace nmt
