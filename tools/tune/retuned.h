// SPDX-License-Identifier: BSD-3-Clause
//
// Plans derived again after the campaigns in force have changed, and what was derived, as the
// subcommands that change them report it.
#pragma once

#include <vector>

#include "profiledb/profiledb.h"
#include "tools/command/report.h"

namespace nmt {

Report retuned(ProfileDb& db, const std::vector<Platform>& platforms);

}  // namespace nmt
