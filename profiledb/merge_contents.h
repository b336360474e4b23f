// SPDX-License-Identifier: BSD-3-Clause
//
// The union of a profile with another: the work of merge and import.
//
// Rows with one identifier are one row. A platform whose fingerprint equals that of a platform here
// is merged into it, and so are its nodes (by host), rails (by fingerprint), paths and groups. Of
// two versions of a campaign the complete one stays; of two versions of a sample the one with more
// repetitions; otherwise the version here stays. A plan is added only with a platform that is new
// here; for other platforms the plan has to be derived again.
#pragma once

#include "profiledb/rows.h"
#include "profiledb/sqlite.h"

namespace nmt::profiledb {

void merge_contents(const sqlite::Database& database,
                    Contents other);  // within the caller's transaction

}  // namespace nmt::profiledb
