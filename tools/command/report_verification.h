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

}  // namespace nmt::tools
