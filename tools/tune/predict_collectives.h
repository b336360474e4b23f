// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune collectives --nodes --per-node: what is chosen on one shape, and what it takes, sampled
// or predicted (tuner/collective_model.h).
#pragma once

#include "tools/command/command.h"
#include "tools/tune/subcommands.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// Error(kFailed) if nothing can be said about the shape.
Report predict_collectives(const tuner::CollectiveShape& shape, const ProfileOptions& options,
                           const Invocation& invocation);

}  // namespace nmt::tools
