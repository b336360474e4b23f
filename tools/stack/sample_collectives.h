// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack openmpi|mpich --parts collectives: one launch per collective, in which all of
// its algorithms take turns.
#pragma once

#include "tools/sample/campaign.h"

namespace nmt::tools {

Report sample_stack_collectives(const SampleOptions& options, const Invocation& invocation,
                                const profiledb::Location& profile, profiledb::ProfileDb& db);

}  // namespace nmt::tools
