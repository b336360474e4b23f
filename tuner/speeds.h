// SPDX-License-Identifier: BSD-3-Clause
//
// How fast the machine was when each number was measured: drift of the rounds of a session, and
// one common factor of each session (process launch), as far as samples can tell.
//
// A single session cannot tell its own factor from the rail's speed, so it has 1. Several sessions
// of one path are compared on the cells that they share, and the rail's speed is taken to be at
// the centre of theirs (speeds.cpp says which centre). docs/method.md, "Speeds".
#pragma once

#include <span>
#include <vector>

#include "core/drift.h"
#include "core/sample.h"

namespace nmt {

struct Speeds {
  double session = 1;     // of the whole set, relative to the path's centre
  DriftFactors sampled;   // of its rounds; from samples that are not held out
  DriftFactors held_out;  // of its rounds, those that only verified included; same origin
};

// One per set.
std::vector<Speeds> estimate_speeds(std::span<const SampleSet> sets);

// The centre of some sessions' factors (at least one).
double centre_of_sessions(std::span<const double> factors);

}  // namespace nmt
