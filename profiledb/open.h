// SPDX-License-Identifier: BSD-3-Clause
//
// Opens a file as a profile, after checking that it is one.
//
// Refused, each with its cause and the way out: a file that is absent, empty or truncated; a
// directory, a FIFO or a device; a file too large for any profile; a file that is no SQLite
// database; another program's database; a newer schema; a schema with objects that nmadtune did not
// make.
#pragma once

#include <string>

#include "profiledb/profiledb.h"
#include "profiledb/sqlite.h"

namespace nmt::profiledb {

sqlite::Database open_profile(const std::string& file, const ProfileDb::Options& options);
sqlite::Database open_in_memory();
bool is_database(const std::string& file);  // by how its content begins

}  // namespace nmt::profiledb
