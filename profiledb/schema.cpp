// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/schema.h"

#include <fmt/format.h>

#include <map>

namespace nmt::profiledb {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

// Identifiers are 16 random bytes, except that of a condition, which is computed from its content.
// Every row ends with a digest of its other columns; `seal` counts and digests the rows.
constexpr char kFirst[] = R"(
CREATE TABLE platform (  -- a class of machines
  id BLOB NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,  -- JSON object of texts
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE node (  -- one host of a platform
  id BLOB NOT NULL PRIMARY KEY,
  platform BLOB NOT NULL REFERENCES platform(id),
  host TEXT NOT NULL,
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE rail (  -- a NIC, a shared memory or a described device of a node
  id BLOB NOT NULL PRIMARY KEY,
  node BLOB NOT NULL REFERENCES node(id),
  driver TEXT NOT NULL,
  name TEXT NOT NULL,         -- empty where the driver has one rail only
  fingerprint TEXT NOT NULL,  -- JSON object of texts
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE path (  -- directed, from a rail to a peer's or to itself
  id BLOB NOT NULL PRIMARY KEY,
  from_rail BLOB NOT NULL REFERENCES rail(id),
  to_rail BLOB NOT NULL REFERENCES rail(id),
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE path_group (  -- paths measured together; a single path is a group of one, same id
  id BLOB NOT NULL PRIMARY KEY,
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE path_group_member (
  path_group BLOB NOT NULL REFERENCES path_group(id),
  path BLOB NOT NULL REFERENCES path(id),
  digest INTEGER NOT NULL,
  PRIMARY KEY (path_group, path)
) STRICT;

CREATE TABLE campaign (  -- what was asked, and how it went
  id BLOB NOT NULL PRIMARY KEY,
  platform BLOB NOT NULL REFERENCES platform(id),
  started_utc TEXT NOT NULL,
  finished_utc TEXT NOT NULL,  -- empty while incomplete
  tool_version TEXT NOT NULL,
  command_line TEXT NOT NULL,
  options TEXT NOT NULL,       -- JSON object of texts
  complete INTEGER NOT NULL,
  quality REAL NOT NULL,       -- share of repetitions that nothing disturbed
  remark TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE session (  -- one process launch of a campaign
  id BLOB NOT NULL PRIMARY KEY,
  campaign BLOB NOT NULL REFERENCES campaign(id),
  started_utc TEXT NOT NULL,
  clock TEXT NOT NULL,
  clock_cost_ns REAL NOT NULL,
  clock_resolution_ns REAL NOT NULL,
  seed INTEGER NOT NULL,
  elapsed_ns REAL NOT NULL,    -- of the campaign's budget
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE condition (  -- what a number was measured under; empty and 0: does not apply
  id BLOB NOT NULL PRIMARY KEY,
  benchmark TEXT NOT NULL,
  method TEXT NOT NULL,
  variant TEXT NOT NULL,
  regime TEXT NOT NULL,
  placement TEXT NOT NULL,
  memory TEXT NOT NULL,
  registration TEXT NOT NULL,
  busy_rails TEXT NOT NULL,
  mpi TEXT NOT NULL,
  mapping TEXT NOT NULL,
  operation TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  header_bytes INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  ranks INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  ranks_per_node INTEGER NOT NULL,
  leaders INTEGER NOT NULL,
  segment_bytes INTEGER NOT NULL,
  root INTEGER NOT NULL,
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE sample (  -- one cell: all repetitions of one size under one condition
  session BLOB NOT NULL REFERENCES session(id),
  path_group BLOB NOT NULL REFERENCES path_group(id),
  condition BLOB NOT NULL REFERENCES condition(id),
  size_bytes INTEGER NOT NULL,
  held_out INTEGER NOT NULL,    -- measured to verify, never used to derive
  origin TEXT NOT NULL,         -- measured, imported, simulated, described
  run_delay_ns REAL NOT NULL,
  repetitions BLOB NOT NULL,    -- raw; the columns below summarise it, per operation
  n INTEGER NOT NULL,           -- repetitions summarised
  disturbed INTEGER NOT NULL,   -- repetitions left out of the summary
  median_ns REAL NOT NULL,
  interquartile_mean_ns REAL NOT NULL,
  low_ns REAL NOT NULL,         -- 95 % interval of the median
  high_ns REAL NOT NULL,
  p10_ns REAL NOT NULL,
  p90_ns REAL NOT NULL,
  p99_ns REAL NOT NULL,
  digest INTEGER NOT NULL,
  PRIMARY KEY (session, path_group, condition, size_bytes, held_out)
) STRICT;

CREATE TABLE derived (  -- plans, signatures, segments ...: can be derived again
  id BLOB NOT NULL PRIMARY KEY,
  platform BLOB NOT NULL REFERENCES platform(id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,              -- which of its kind; empty where there is one only
  created_utc TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  source_digest INTEGER NOT NULL,  -- of the samples that it was derived from
  content TEXT NOT NULL,           -- JSON
  digest INTEGER NOT NULL
) STRICT;

CREATE TABLE seal (  -- per table, and per session for samples: no row lost, none slipped in
  scope TEXT NOT NULL PRIMARY KEY,
  row_count INTEGER NOT NULL,
  digest INTEGER NOT NULL  -- exclusive or of the rows' digests
) STRICT;
)";

// The tables stay. Plans name the MPI of each rule, which programs of version 1 cannot read.
constexpr char kRulesNameTheirMpi[] = "";

constexpr Migration kMigrations[] = {{1, kFirst}, {2, kRulesNameTheirMpi}};

std::int64_t last_version(std::span<const Migration> all) { return all.back().version; }

void apply(Database& database, std::span<const Migration> all, std::int64_t from, std::int64_t to) {
  for (const Migration& migration : all) {
    if (migration.version > from && migration.version <= to) database.run(migration.sql);
  }
}

// Every object of the schema by kind and name, with its SQL text; without SQLite's own objects
// (indexes of keys, tables of ANALYZE).
std::map<std::string, std::string> objects(Database& database) {
  std::map<std::string, std::string> found;
  Statement statement(database,
                      "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema"
                      " WHERE name NOT GLOB 'sqlite_*'");
  while (statement.step()) found[statement.text(0)] = statement.text(1);
  return found;
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

int schema_version() { return static_cast<int>(last_version(kMigrations)); }

Identity identify(Database& database) {
  return {.application_id = database.integer("PRAGMA application_id"),
          .version = database.integer("PRAGMA user_version"),
          .empty = database.integer("SELECT count(*) FROM sqlite_schema") == 0};
}

void migrate(Database& database, std::span<const Migration> all) {
  Transaction transaction(database, Transaction::Kind::kWrite);
  const std::int64_t from = identify(database).version;
  if (from >= last_version(all)) return;  // another process migrated first
  apply(database, all, from, last_version(all));
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId,
                           last_version(all)));
  transaction.commit();
}

std::optional<std::string> foreign_in_schema(Database& database, std::span<const Migration> all) {
  Database reference(database.file(), Database::Access::kMemory, LockWait("", 0, {}));
  apply(reference, all, 0, identify(database).version);
  const std::map<std::string, std::string> expected = objects(reference);
  const std::map<std::string, std::string> found = objects(database);
  for (const auto& [name, sql] : found) {
    const auto twin = expected.find(name);
    if (twin == expected.end()) return name;
    if (twin->second != sql) return "changed " + name;
  }
  for (const auto& [name, sql] : expected) {
    if (!found.contains(name)) return "missing " + name;
  }
  return std::nullopt;
}

}  // namespace nmt::profiledb
