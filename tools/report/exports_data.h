// SPDX-License-Identifier: BSD-3-Clause
//
// Settings for other stacks, as `nmad-tune export` writes them, with their evidence.
#pragma once

#include <string>

#include "core/json.h"
#include "core/plan.h"
#include "profiledb/profiledb.h"

namespace nmt::tools {

// The array "exports": one entry for each stack, as `nmad-tune export STACK --json` has it; or with
// a member "reason" where there is nothing to write.
json::Value exports_json(const profiledb::ProfileDb& db, const Id& platform, const Plan& plan,
                         const std::string& profile);

}  // namespace nmt::tools
