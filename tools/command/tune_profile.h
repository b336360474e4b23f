// SPDX-License-Identifier: BSD-3-Clause
//
// From the samples of a profile to the plan in it: the one place where store, tuner and contention
// meet.
#pragma once

#include <cstdint>

#include "profiledb/profiledb.h"
#include "tuner/tuner.h"

namespace nmt {

// Derives the plan of the samples in force, its contention signatures included, verifies it where
// there are held-out samples, stores and returns it.
Plan tune(ProfileDb& db, const Id& platform, const TuneOptions& options = {});

}  // namespace nmt
