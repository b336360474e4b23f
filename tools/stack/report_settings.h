// SPDX-License-Identifier: BSD-3-Clause
//
// Prints verdicts on groups of a stack's settings, for people and programs: kept or not, the gain,
// and the evidence.
#pragma once

#include <span>

#include "stacks/stacks.h"
#include "tools/command/report.h"

namespace nmt::tools {

// Adds a table, CSV rows and the member "settings".
void add_verdicts(std::span<const stacks::GroupVerdict> verdicts, Report* report);

// Adds a warning where no test was run with that version of the stack; nothing where it is unknown.
void warn_of_untried(std::string_view stack, std::string_view version, Report* report);

}  // namespace nmt::tools
