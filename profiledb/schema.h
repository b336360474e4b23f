// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a profile (docs/reference/schema.md explains them to people) and how older ones
// become today's.
//
// The schema is a list of migrations; an empty file is version 0 and goes through all of them, in
// one transaction. `application_id` says that a file is ours, `user_version` which migrations it
// has seen. A file whose schema is not, word for word, what these migrations make is refused: a
// view, a trigger or an index of a stranger never runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profiledb/sqlite.h"

namespace nmt {

inline constexpr std::int64_t kApplicationId = 0x6e6d7431;  // "nmt1"

struct Migration {
  int version;  // that it leads to; consecutive from 1
  const char* sql;
};
std::span<const Migration> migrations();
int schema_version();  // today's

// What a database says it is; both 0 in an empty one.
struct Identity {
  std::int64_t application_id = 0;
  std::int64_t version = 0;
  bool empty = false;  // nothing in it at all
};
Identity identify(sqlite::Database& database);

// Applies what is missing, all of it or nothing. Safe where two processes do it at once.
void migrate(sqlite::Database& database, std::span<const Migration> all);

// What stands in the schema and should not, or is missing from it; nullopt where all is as the
// migrations up to the database's version make it.
std::optional<std::string> foreign_in_schema(sqlite::Database& database,
                                             std::span<const Migration> all);

}  // namespace nmt
