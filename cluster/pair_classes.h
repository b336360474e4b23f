// SPDX-License-Identifier: BSD-3-Clause
//
// Pairs of nodes that do not differ: one of them stands for all in a report.
//
// Two pairs are of one class if both ends have the same platforms, rails, regime, placement and
// number of ranks, and if the latency and the bandwidth of both are within the noise of one
// repetition of the class's median. So a hundred equal nodes take one line, and a node that differs
// takes its own.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/path_name.h"
#include "core/plan.h"

namespace nmt::cluster {

struct PairClass {
  std::vector<std::size_t> members;  // indices; the first is the one nearest to the median
};

// Every plan is in exactly one class. Classes are in the order of their first plan in `plans`.
// A path without a name is a class of its own.
std::vector<PairClass> pair_classes(std::span<const RailPlan> plans,
                                    const std::map<Id, PathName>& names);

}  // namespace nmt::cluster
