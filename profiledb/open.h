// SPDX-License-Identifier: BSD-3-Clause
//
// Opening a file as a profile: what it must be, and what is done so that it is.
//
// Refused, each with its cause and the way out: a file that is absent, empty or truncated, a
// directory, a FIFO or a device, a file too large for any profile, no SQLite database, another
// program's, one with a newer schema, one whose schema holds what we did not make.
#pragma once

#include <string>

#include "profiledb/profiledb.h"
#include "profiledb/sqlite.h"

namespace nmt {

sqlite::Database open_profile(const std::string& file, const ProfileDb::Options& options);
sqlite::Database open_in_memory();

}  // namespace nmt
