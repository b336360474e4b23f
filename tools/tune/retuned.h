// SPDX-License-Identifier: BSD-3-Clause
//
// Derives plans again after the campaigns in force have changed, and reports the result, for the
// subcommands that change them.
#pragma once

#include <vector>

#include "profiledb/profiledb.h"
#include "tools/command/report.h"

namespace nmt::tools {

Report retuned(profiledb::ProfileDb& db, const std::vector<Platform>& platforms);

}  // namespace nmt::tools
