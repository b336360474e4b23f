// SPDX-License-Identifier: BSD-3-Clause
//
// Curves of a rail beside busy ones, where a campaign had no time to measure its large messages so.
//
// A line through the small sizes that were measured says little of large ones: of a shaped or a
// cached link, nothing right. The rail's own curve does: it goes on by the factor that the largest
// size took longer beside the others, and below the smallest by that one's.
#pragma once

#include "core/plan.h"

namespace nmt {

// `contended` with its curves over all sizes that `alone` has for the same method.
RailPlan completed(RailPlan contended, const RailPlan& alone);

}  // namespace nmt
