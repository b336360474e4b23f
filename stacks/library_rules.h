// SPDX-License-Identifier: BSD-3-Clause
//
// What was measured of other MPIs' own collective algorithms, as rules that programs can ask for
// through the C ABI: a tuner plug-in, or a component of that MPI.
//
// One rule for each measured size: the choice of stacks/collective_rules.h with its gain there.
// Between two sizes the rule changes at their geometric mean; the first begins at its own size, and
// the last ends with its own. Nothing is said of numbers of ranks that were not measured.
#pragma once

#include <span>
#include <vector>

#include "core/plan.h"
#include "core/sample.h"

namespace nmt::stacks {

// Of all stacks whose collectives were measured, by MPI, operation, ranks and size.
std::vector<LibraryRule> library_rules(std::span<const SampleSet> sets);

}  // namespace nmt::stacks
