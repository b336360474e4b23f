// SPDX-License-Identifier: BSD-3-Clause
//
// The two ends of a campaign between two nodes: nmad-sample --peer measures, --serve answers; both
// keep what was measured.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt {

Report sample_with_peer(const SampleOptions& options, const Invocation& invocation);
Report serve(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt
