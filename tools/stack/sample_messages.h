// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack: the papers' method applied to another communication stack. Launches its jobs
// with its protocols forced, in rounds of all settings that compete, and keeps what they took.
//
// First what each interface carries alone, and with weights by that; then every size eager and by
// rendezvous, and the limits that follow, measured as settings. A round's launches follow each
// other in shuffled order, since launches differ more than sizes do.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt {

Report sample_stack(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt
