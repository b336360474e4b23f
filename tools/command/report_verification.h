// SPDX-License-Identifier: BSD-3-Clause
//
// A verification as commands print it: how far predictions were off at sizes that nothing was
// derived from, beside how far two measurements of one point differ, and what decisions cost there.
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"
#include "tools/command/text.h"

namespace nmt {

// What concerns the named rails.
Verification of_rails(const Verification& verification, const std::vector<std::string>& rails);

void add_verification(const Verification& verification, Text* text);

}  // namespace nmt
