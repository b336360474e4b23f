// SPDX-License-Identifier: BSD-3-Clause
//
// Completes the curves of a rail beside busy rails, if a campaign had no time to measure its large
// messages that way.
//
// A line through the measured small sizes predicts large ones badly, in particular on a shaped or a
// cached link. The rail's own curve predicts them better: above the largest size measured beside
// others it is multiplied by the slowdown at that size, below the smallest by the slowdown at that
// one.
#pragma once

#include "core/plan.h"

namespace nmt::runtime {

// Extends the curves of `contended` to all sizes that `alone` has for the same method.
RailPlan completed(RailPlan contended, const RailPlan& alone);

}  // namespace nmt::runtime
