// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the runtime for our own commands. Communication stacks use include/nmadtune.h, and so do
// the commands for every decision; this is what only they need.
//
// In reading order:
//   open                opens a profile or a snapshot
//   load                reads the profile and compares its platform with this machine
//   profile             what stands behind an nmt_profile
//   describe            what a profile and its paths are
//   open_log            what a profile is going to answer, printed when it is opened
//   decide              decisions about one path
//   decide_split        decisions over several rails
//   decide_collective   decisions about collectives
//   rails               when each rail will be idle
//   current             the profile that a program uses now
//   snapshot            typed views of a snapshot, checked
//   layout              the bytes of a snapshot
//   storage             a snapshot in memory
//   compile             makes a snapshot out of a plan
//   path_tables         tables of one path, for a snapshot
//   pair_tables         tables of two rails that share a message, for a snapshot
//   tables              piecewise-linear functions that are looked up in nanoseconds
//   transfer            which method from which size on, as tables need it
//   contended_curves    curves of a rail while others are busy
//   aggregation         when two small packets go together
//   split               which rail carries how much of a message
//   split_solver        solves for the split that ends first
//   paper_split         splits as the papers do them, to compare with
//   signatures          the contention signatures of a snapshot
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/curve.h"
#include "include/nmadtune.h"
#include "runtime/paper_split.h"

namespace nmt {

// The bytes of an open profile as a flat snapshot (docs/reference/snapshot.md): written to a file,
// nmt_open reads it. They live as long as the profile.
std::span<const std::byte> snapshot_bytes(const nmt_profile& profile);

// The monotone curve that splits invert for a path; empty where it was not measured.
Curve split_curve_of(const nmt_profile& profile, int path);

}  // namespace nmt
