// SPDX-License-Identifier: BSD-3-Clause
//
// Durations of collectives by the MPI's own function and by ours, according to the profile. They
// come from the samples, because a snapshot and the C ABI contain the choice but no durations.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/call_report.h"

namespace nmt::collectives {

struct ProfileDurations {
  Predict predict;      // empty: see `missing`
  std::string missing;  // why there are none, and what to do
};
// For this platform's collectives under this MPI (core/mpi_name.h), from the profile that a program
// would open. Throws only std::bad_alloc.
ProfileDurations durations_from_profile(const std::string& mpi);

}  // namespace nmt::collectives
