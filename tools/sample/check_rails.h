// SPDX-License-Identifier: BSD-3-Clause
//
// Measures the cells that tell most of each rail, and judges them by the profile.
#pragma once

#include <chrono>

#include "tools/command/command.h"
#include "tools/sample/check_findings.h"
#include "tools/sample/checked_profile.h"
#include "tools/sample/options.h"

namespace nmt::tools {

using CheckClock = std::chrono::steady_clock;

// The rails of this node. Each is measured once at least, and no more after `end`.
CheckFindings check_node(const SampleOptions& options, const CheckedProfile& reference,
                         CheckClock::time_point end);

// The rails to the peer that the options name.
CheckFindings check_peer(const SampleOptions& options, const CheckedProfile& reference,
                         CheckClock::time_point end, const Invocation& invocation);

}  // namespace nmt::tools
