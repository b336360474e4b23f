// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs of more ranks than cores. A rank that has something to do waits for a core first, which
// takes longer than a small message: what such messages take is the scheduler's time, and depends
// on how ranks wait. Campaigns warn of it.
#pragma once

#include <cstdint>

#include "control/control.h"
#include "tools/command/report.h"

namespace nmt {

// Cores of all ranks together, by all ranks. Those of one kernel are counted once, however many
// nodes it plays.
std::size_t cores_of(const control::MpiJob& job);

// Nothing where there are as many cores as ranks, or their number is not known (0).
void warn_of_oversubscription(std::int64_t ranks, std::size_t cores, Report* report);

}  // namespace nmt
