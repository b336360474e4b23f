// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of ProfileDb. Its methods are grouped by topic, in profiledb_*.cpp and
// survey.cpp. Each public method is one transaction.
#pragma once

#include "profiledb/profiledb.h"
#include "profiledb/sqlite.h"

namespace nmt::profiledb {

struct ProfileDb::Implementation {
  sqlite::Database database;
};

}  // namespace nmt::profiledb
