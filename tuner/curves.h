// SPDX-License-Identifier: BSD-3-Clause
//
// Curves from pooled samples: the median at every size, its 95 % limits, the typical spread of a
// repetition, and how far the curve is from non-decreasing. docs/method.md, "Curves".
#pragma once

#include <vector>

#include "core/plan.h"
#include "tuner/pool.h"

namespace nmt::tuner {

std::vector<PlanCurve> make_curves(const Cells& cells);

}  // namespace nmt::tuner
