// SPDX-License-Identifier: BSD-3-Clause
//
// Of nmad-tune ab: collectives with the exported rules and other settings of theirs, and without.
#pragma once

#include <vector>

#include "tools/command/report.h"
#include "tools/stack/compare_rules.h"

namespace nmt {

// What to compare in a job of so many ranks: nothing where no rule is for that number and `whole`,
// settings of all collectives, is empty.
OwnChoiceRounds collective_rounds(const StackFindings& findings, const Fields& whole,
                                  std::int64_t ranks);

// A row for each size of each operation and number of ranks: default, with all of that, and their
// ratio; also as the member "collectives".
void add_collective_rows(const std::vector<StackSamples>& samples, const StackFindings& findings,
                         const Fields& whole, Report* report);

}  // namespace nmt
