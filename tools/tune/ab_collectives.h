// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of nmad-tune ab: with the exported rules, and without.
#pragma once

#include <string>
#include <vector>

#include "tools/command/report.h"
#include "tools/stack/compare_rules.h"

namespace nmt::tools {

// What to compare in a job with this many ranks. Empty if no rule applies to that number.
OwnChoiceRounds collective_rounds(const stacks::StackFindings& findings, std::int64_t ranks);

// One row per size of each operation and number of ranks: the default, the rules, and their ratio;
// also as the member "collectives".
void add_collective_rows(const std::vector<stacks::StackSamples>& samples,
                         const stacks::StackFindings& findings, Report* report);

// Operations that had rules before and have none now; of others, the sizes whose rules are gone, as
// "bcast on 16 ranks at 64 B".
std::vector<std::string> withdrawn_rules(const std::vector<stacks::RuledCell>& before,
                                         const std::vector<stacks::RuledCell>& now);

}  // namespace nmt::tools
