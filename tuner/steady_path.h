// SPDX-License-Identifier: BSD-3-Clause
//
// A sequence of choices, where each choice has a cost and so has each change.
//
// Neighbouring sizes inform each other: a choice that is best at one size only by chance is not
// worth a change; one that is good at all of them is.
#pragma once

#include <cstddef>
#include <vector>

namespace nmt::tuner {

// For each step, the choice that minimises the sum of costs, plus `change` for each step whose
// choice differs from the step before. costs[step][choice]; infinite means impossible, but not for
// all choices of a step.
std::vector<std::size_t> steady_path(const std::vector<std::vector<double>>& costs, double change);

}  // namespace nmt::tuner
