// SPDX-License-Identifier: BSD-3-Clause
//
// Measured alltoalls of a profile, prepared for a fit.
//
// An alltoall is a sample of benchmark::kCollective with the operation "alltoall"; a message alone
// is one of benchmark::kMessage; many messages at a time are one of benchmark::kConnections. If
// sessions measured both, each alltoall is divided by the factor by which the session's messages
// differ from the usual: they are interleaved, so both drift alike. A campaign's option "cores" is
// the number of cores of all ranks together.
#pragma once

#include <span>
#include <vector>

#include "contention/fit.h"
#include "core/sample.h"

namespace nmt::contention {

inline constexpr char kAlltoall[] = "alltoall";  // Condition::operation
inline constexpr char kCoresOption[] = "cores";  // Campaign::options
// Campaign::options too: the nodes of the ranks, in order, as expand_hosts() reads them. One for
// all sessions, or one with "." and the identifier of a session.
inline constexpr char kHostsOption[] = "host_list";
// The same for the groups of nodes that were found (contention/named_groups.h). "host" in a name
// keeps both out of anonymous exports.
inline constexpr char kGroupsOption[] = "host_groups";

// One entry for each measured algorithm and number of ranks per node, without held-out samples.
std::vector<AlltoallTimes> alltoall_times(std::span<const SampleSet> sets);

}  // namespace nmt::contention
