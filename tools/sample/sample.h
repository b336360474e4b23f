// SPDX-License-Identifier: BSD-3-Clause
//
// The work of nmad-sample: choose rails, measure them into the profile, tune, tell.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt {

Report sample(const SampleOptions& options, const Invocation& invocation);

}  // namespace nmt
