// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample as the ranks of a stack's job that another nmad-sample or nmad-tune launched
// (sampler/stack/launch_messages.h): times what it is ordered to, and stores nothing.
#pragma once

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt::tools {

Report run_launched_rank(const SampleOptions& options, const std::string& mpi);

}  // namespace nmt::tools
