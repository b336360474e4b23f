// SPDX-License-Identifier: BSD-3-Clause
//
// What it costs to have another core submit a message: the time from the decision on this core to
// the first instruction of the submission on that one (paper "multirail on multicore", II-C).
//
// By the mechanism that an engine uses, a helper thread that sleeps (node/helper.h), for one pair
// of cores of each placement that this process has: while the other core has nothing else to do
// ("idle"), and while a thread computes there that must make way ("preempting"). The clock is read
// on two cores, whose times RealClock takes for one.
#pragma once

#include <vector>

#include "core/clock.h"
#include "core/sample.h"

namespace nmt {

// One sample for each placement and state, of some hundred repetitions as far as the budget goes;
// none where there is one core only. Belongs to no rail.
std::vector<Sample> sample_offload(const Clock& clock, double budget_ns);

// What a campaign has for it.
double offload_budget_ns(double campaign_budget_ns);

}  // namespace nmt
