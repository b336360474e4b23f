// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the runtime for our own commands. Communication stacks use include/nmadtune.h, and so do
// the commands for every decision; this is what only they need.
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
