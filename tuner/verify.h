// SPDX-License-Identifier: BSD-3-Clause
//
// Compares held-out samples with the plan. docs/method.md, "Verification".
#pragma once

#include <span>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt {

// Held-out samples of the sets are the truth for the plan's predictions and decisions.
Verification verify(const Plan& plan, std::span<const SampleSet> sets);

}  // namespace nmt
