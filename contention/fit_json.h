// SPDX-License-Identifier: BSD-3-Clause
//
// A fitted signature as JSON, for whoever reads it elsewhere: what nmad-tune contention prints.
//
// Units are in the names, intervals are [low, high], what does not apply is null.
#pragma once

#include "contention/fit.h"
#include "core/json.h"

namespace nmt {

json::Value to_json(const SignatureFit& fit);

}  // namespace nmt
