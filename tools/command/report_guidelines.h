// SPDX-License-Identifier: BSD-3-Clause
//
// Prints where an MPI's own collectives are slower than they need be (tuner/guidelines.h).
#pragma once

#include <string>

#include "tools/command/report.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// The value of "broken_guidelines" in JSON: a list.
json::Value guidelines_json(const tuner::GuidelineFindings& findings);

// A table, JSON as above and CSV.
void add_guidelines(const tuner::GuidelineFindings& findings, Report* report);

// One line: how many are broken, the worst one, and which command lists all; empty for none.
std::string worst_guideline(const tuner::GuidelineFindings& findings);

}  // namespace nmt::tools
