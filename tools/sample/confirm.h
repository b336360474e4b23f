// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --confirm: whether the profile is still true on this node, in two seconds.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt::tools {

// Measures the cells that tell most of each rail (its latency, its bandwidth, and both sides of its
// thresholds) and compares them with the profile, which stays as it is. What was found goes into a
// file beside it (core/confirmation.h), if this user may write it.
Report confirm(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt::tools
