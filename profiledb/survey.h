// SPDX-License-Identifier: BSD-3-Clause
//
// What of a profile is whole, and what is not: checking and salvaging.
#pragma once

#include <vector>

#include "profiledb/profiledb.h"
#include "profiledb/rows.h"
#include "profiledb/sqlite.h"

namespace nmt {

struct Survey {
  Contents whole;  // consistent in itself; campaigns with any damage are left out
  std::vector<ProfileDb::Problem> problems;
};

// Reads everything; damage is a problem and never an Error.
Survey survey(const sqlite::Database& database);

}  // namespace nmt
