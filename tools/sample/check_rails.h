// SPDX-License-Identifier: BSD-3-Clause
//
// Measures the cells that tell most of each rail, and judges them by the profile.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/check_findings.h"
#include "tools/sample/checked_profile.h"
#include "tools/sample/options.h"

namespace nmt::tools {

// The rails of this node.
CheckFindings check_node(const SampleOptions& options, const CheckedProfile& reference,
                         double budget_ns);

// The rails to the peer that the options name.
CheckFindings check_peer(const SampleOptions& options, const CheckedProfile& reference,
                         double budget_ns, const Invocation& invocation);

}  // namespace nmt::tools
