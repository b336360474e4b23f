// SPDX-License-Identifier: BSD-3-Clause
//
// Thresholds of paths of which too few sizes were measured to find any.
//
// Most pairs of a large job measure kLandmarksBytes only (core/sample.h): enough to compare pairs,
// not to see where a better method begins. Such a path decides as the path of the same rail does
// whose durations at these sizes are nearest to its own.
#pragma once

#include <vector>

#include "core/plan.h"

namespace nmt::tuner {

// Paths that have no like keep what their few sizes say.
void lend_thresholds(std::vector<RailPlan>* rails);

}  // namespace nmt::tuner
