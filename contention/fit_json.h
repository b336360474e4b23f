// SPDX-License-Identifier: BSD-3-Clause
//
// A fitted signature as JSON, as nmad-tune contention prints it.
//
// Units are in the names, intervals are [low, high], values that do not apply are null.
#pragma once

#include "contention/fit.h"
#include "core/json.h"

namespace nmt::contention {

json::Value to_json(const SignatureFit& fit);

}  // namespace nmt::contention
