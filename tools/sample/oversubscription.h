// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs with more ranks than cores. A rank with work waits for a core first, which takes longer than
// a small message. Durations of such messages are then the scheduler's, and depend on how ranks
// wait. Campaigns warn of it.
#pragma once

#include <cstdint>

#include "control/control.h"
#include "tools/command/report.h"

namespace nmt::tools {

// Cores of all ranks together; called by all ranks. Cores of one kernel are counted once, even if
// it simulates several nodes.
std::size_t cores_of(const control::MpiJob& job);

// Does nothing if there are as many cores as ranks, or if their number is unknown (0).
void warn_of_oversubscription(std::int64_t ranks, std::size_t cores, Report* report);

}  // namespace nmt::tools
