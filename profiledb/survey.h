// SPDX-License-Identifier: BSD-3-Clause
//
// Finds which parts of a profile are damaged, and which can be saved.
#pragma once

#include <vector>

#include "profiledb/profiledb.h"
#include "profiledb/rows.h"
#include "profiledb/sqlite.h"

namespace nmt::profiledb {

struct Survey {
  Contents whole;  // consistent; a campaign with any damage is left out
  std::vector<ProfileDb::Problem> problems;
};

// Reads everything. Damage gives a problem, never an Error.
Survey survey(const sqlite::Database& database);

}  // namespace nmt::profiledb
