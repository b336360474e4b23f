// SPDX-License-Identifier: BSD-3-Clause
//
// Prints a verification: the error of predictions at held-out sizes, next to the difference between
// two measurements of one point, and the cost of decisions there.
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"
#include "tools/command/text.h"

namespace nmt::tools {

// Only for the named rails.
Verification of_rails(const Verification& verification, const std::vector<std::string>& rails);

void add_verification(const Verification& verification, Text* text);

// Why nothing is verified: nmad-sample --verify ended before it had measured what it verifies.
// Names a longer budget.
std::string explain_unverified(double budget_ns);

}  // namespace nmt::tools
