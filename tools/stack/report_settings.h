// SPDX-License-Identifier: BSD-3-Clause
//
// What was found about groups of a stack's settings, for people and programs: kept or not, by how
// much, on what evidence.
#pragma once

#include <span>

#include "stacks/stacks.h"
#include "tools/command/report.h"

namespace nmt {

// A table, CSV rows and the member "settings".
void add_verdicts(std::span<const GroupVerdict> verdicts, Report* report);

}  // namespace nmt
