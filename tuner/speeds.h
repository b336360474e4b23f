// SPDX-License-Identifier: BSD-3-Clause
//
// How fast the machine was at each measurement: drift of the rounds of a session, and one common
// factor of each session (process launch), as far as samples show it.
//
// One session alone cannot distinguish its own factor from the rail's speed, so its factor is 1.
// Several sessions of one path, with as many ranks, are compared on the cells that they share; the
// rail's speed is the centre of their speeds (speeds.cpp says which centre). docs/method.md,
// "Speeds".
#pragma once

#include <span>
#include <vector>

#include "core/drift.h"
#include "core/sample.h"

namespace nmt::tuner {

struct Speeds {
  double session = 1;     // of the whole set, relative to the path's centre
  DriftFactors sampled;   // of its rounds, from samples that are not held out
  DriftFactors held_out;  // of its rounds, also those with held-out samples only; same origin
};

// One entry per set.
std::vector<Speeds> estimate_speeds(std::span<const SampleSet> sets);

// The centre of the factors of some sessions (at least one).
double centre_of_sessions(std::span<const double> factors);

}  // namespace nmt::tuner
