// SPDX-License-Identifier: BSD-3-Clause
//
// What was held out, against what the plan says of it. docs/method.md, "Verification".
#pragma once

#include <span>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt {

// Truth: held-out samples of the sets against the plan's predictions and decisions.
Verification verify(const Plan& plan, std::span<const SampleSet> sets);

}  // namespace nmt
