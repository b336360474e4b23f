// SPDX-License-Identifier: BSD-3-Clause
//
// How long the profile says that a collective takes by the MPI's own function and by ours: out of
// the samples themselves, since a snapshot and the C ABI have the choice and no durations.
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
// Of this platform's collectives in the profile that a program finds. Throws nothing but
// std::bad_alloc.
ProfileDurations durations_from_profile();

}  // namespace nmt::collectives
