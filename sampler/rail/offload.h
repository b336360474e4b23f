// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of submitting a message from another core: the time from the decision on this core to
// the first instruction of the submission on the other one (paper "multirail on multicore", II-C).
//
// It uses the mechanism of an engine, a helper thread (node/helper.h), for one pair of cores of
// each placement of this process, in three states of the other core. "idle": the helper sleeps, and
// the core has no other work. "spinning": the helper polls for work all the time. "preempting": the
// helper sleeps, and another thread computes there, which the kernel must interrupt. The clock is
// read on two cores; RealClock treats their times as one.
#pragma once

#include <vector>

#include "core/clock.h"
#include "core/sample.h"

namespace nmt::sampler {

// One sample per placement and state, of some hundred repetitions if the budget allows; none if
// there is only one core. Belongs to no rail.
std::vector<Sample> sample_offload(const Clock& clock, double budget_ns);

// The part of a campaign's budget for it.
double offload_budget_ns(double campaign_budget_ns);

}  // namespace nmt::sampler
