// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack: the papers' method for another communication stack. It launches the stack's
// jobs with forced protocols, in rounds of all competing settings, and stores the durations.
//
// First it measures each interface alone, and then weights derived from that. Then it measures
// every size both eagerly and by rendezvous, and the resulting limits as settings. The launches of
// a round follow each other in shuffled order, because launches differ more than sizes do.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt::tools {

Report sample_stack(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt::tools
