// SPDX-License-Identifier: BSD-3-Clause
//
// One choice after the other, of which each costs something and so does a change.
//
// What was measured at one size says something about its neighbors: a choice that is the best there
// by chance only is not worth a change, and one that is good all along is.
#pragma once

#include <cstddef>
#include <vector>

namespace nmt {

// Which choice to take at each step, for the least sum of costs and of `change` for each step that
// takes another choice than the one before. costs[step][choice]; infinite: impossible, but not all
// of a step.
std::vector<std::size_t> steady_path(const std::vector<std::vector<double>>& costs, double change);

}  // namespace nmt
