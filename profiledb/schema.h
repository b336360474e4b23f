// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a profile (docs/reference/schema.md explains them) and their migration from older
// versions.
//
// The schema is a list of migrations. An empty file is version 0 and runs all of them in one
// transaction. `application_id` marks a file as ours; `user_version` is the last migration that it
// ran. A file is refused unless its schema equals, word for word, what these migrations make: so a
// foreign view, trigger or index never runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profiledb/sqlite.h"

namespace nmt::profiledb {

inline constexpr std::int64_t kApplicationId = 0x6e6d7431;  // "nmt1"

struct Migration {
  int version;  // that it leads to; consecutive numbers from 1
  const char* sql;
};
std::span<const Migration> migrations();
int schema_version();  // of this program
// Readers of this program accept files from this version on as they are, without migrating them:
// the tables since then are the same, and the content of older files is understood.
inline constexpr int kOldestReadableSchema = 1;

// The identity that a database declares; both are 0 in an empty one.
struct Identity {
  std::int64_t application_id = 0;
  std::int64_t version = 0;
  bool empty = false;  // no tables at all
};
Identity identify(sqlite::Database& database);

// Applies the missing migrations, all or none. Safe if two processes do it at once.
void migrate(sqlite::Database& database, std::span<const Migration> all);

// What the schema has too much, or what it lacks; nullopt if it is what the migrations up to the
// database's version make.
std::optional<std::string> foreign_in_schema(sqlite::Database& database,
                                             std::span<const Migration> all);

}  // namespace nmt::profiledb
