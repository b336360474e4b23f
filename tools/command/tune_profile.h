// SPDX-License-Identifier: BSD-3-Clause
//
// Derives the plan of a profile from its samples: the one place where store, tuner and contention
// meet.
#pragma once

#include <cstdint>

#include "profiledb/profiledb.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// Derives the plan from the samples in force, with its contention signatures, verifies it if there
// are held-out samples, stores it and returns it.
Plan tune(profiledb::ProfileDb& db, const Id& platform, const tuner::TuneOptions& options = {});

}  // namespace nmt::tools
