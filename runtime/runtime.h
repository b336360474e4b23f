// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the runtime for our own commands. Communication stacks use include/nmadtune.h. The
// commands use it too, for every decision; this header has what only they need.
//
// In reading order:
//   open                opens a profile or a snapshot
//   load_plan           reads the plan of a profile and compares its platform with this machine
//   profile             the implementation of nmt_profile
//   describe            descriptions of a profile and its paths
//   find_path           the search for a path, by rail, device or peer
//   open_log            prints the decisions of a profile when it is opened
//   decide              decisions about one path
//   decide_split        decisions over several rails
//   decide_collective   decisions about collectives
//   collective_rules    the rules about collectives, by operation and shape
//   rails               when each rail will be idle
//   current             the profile that a program uses now
//   snapshot            typed, checked views of a snapshot
//   layout              the bytes of a snapshot
//   storage             a snapshot in memory
//   older_version       reads snapshots of an older version
//   image               builds the bytes of a snapshot
//   compile             makes a snapshot from a plan
//   device_names        the names by which other libraries know the device of a rail
//   path_tables         tables of one path, for a snapshot
//   pair_tables         tables of two rails that share a message, for a snapshot
//   tables              piecewise-linear functions, looked up in nanoseconds
//   transfer            the method for each size, as tables need it
//   contended_curves    curves of a rail while others are busy
//   aggregation         when two small packets are sent as one
//   split               which rail carries how much of a message
//   split_solver        computes the split that ends first
//   paper_split         splits as the papers describe them, for comparison
//   signatures          the contention signatures of a snapshot
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/curve.h"
#include "core/plan.h"
#include "include/nmadtune.h"
#include "runtime/paper_split.h"

namespace nmt::runtime {

// A plan that is in memory, opened as if it were the only one of a profile of this machine. Paths
// are found by the names of their rails only. nmt_close() frees it. Throws Error(kFailed) for a
// plan that does not fit a snapshot.
nmt_profile* open_plan(const Plan& plan);

// The bytes of an open profile as a flat snapshot (docs/reference/snapshot.md). nmt_open can read
// them from a file. They live as long as the profile.
std::span<const std::byte> snapshot_bytes(const nmt_profile& profile);

// The monotone curve that splits invert for a path; empty if it was not measured.
Curve split_curve_of(const nmt_profile& profile, int path);

}  // namespace nmt::runtime
