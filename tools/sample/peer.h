// SPDX-License-Identifier: BSD-3-Clause
//
// The two ends of a campaign between two nodes: nmad-sample --peer measures, --serve answers; both
// store the measurements.
#pragma once

#include "control/control.h"
#include "tools/command/command.h"
#include "tools/sample/campaign.h"
#include "tools/sample/options.h"

namespace nmt::tools {

// Over an existing connection. Companions of the near end measure at the same time, each with a
// peer of its own; nothing is stored of them.
Report sample_as_near(control::Connection& peer, const Launch& launch,
                      sampler::Companions companions = {});
Report accompany_near(control::Connection& leader, control::Connection& peer, const Launch& launch);
Report sample_as_far(control::Connection& peer, const Launch& launch);

Report sample_with_peer(const SampleOptions& options, const Invocation& invocation);
Report serve(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt::tools
