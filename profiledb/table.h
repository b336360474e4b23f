// SPDX-License-Identifier: BSD-3-Clause
//
// Tables as lists of rows: load, insert and erase, for any row type.
//
// Every row ends with the digest of its content. Every table has a seal: its number of rows and the
// exclusive or of their digests (samples: one seal per session, so that damage affects only one
// campaign). Loading checks both, so a flipped bit, a lost row or a duplicate row is found before
// anything is derived from it. The caller holds a transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "profiledb/row_io.h"
#include "profiledb/rows.h"
#include "profiledb/sqlite.h"

namespace nmt::profiledb {

struct Seal {
  std::int64_t row_count = 0;
  std::uint64_t digest = 0;
  void add(std::uint64_t row_digest) { ++row_count, digest ^= row_digest; }
  void remove(std::uint64_t row_digest) { --row_count, digest ^= row_digest; }
  bool operator==(const Seal&) const = default;
};
using Seals = std::map<std::string, Seal>;  // by scope

Seal read_seal(const sqlite::Database& database, const std::string& scope);
void add_to_seals(const sqlite::Database& database, const Seals& changes);

std::string sample_scope(const Id& session);
template <class Row>
std::string scope_of(const Row& row) {
  if constexpr (std::is_same_v<Row, SampleRow>) return sample_scope(row.session);
  return std::string(Row::kTable);
}

// Called for a damaged row or table. If it returns, loading continues without that row.
using OnDamage = std::function<void(const std::string& what)>;
OnDamage refuse_damage(const sqlite::Database& database, const std::string& where);

// "(column, column, ..., digest)" of a table, and as many question marks.
struct ColumnNames {
  std::string key;  // "column = ? AND column = ?"
  std::string all;
  std::string parameters;
};
template <class Row>
ColumnNames column_names() {
  ColumnNames names;
  int count = 0;
  const Row row{};
  Row::columns(row, [&](std::string_view name, const auto&) {
    if (count++ < Row::kKeyColumns)
      names.key += (count > 1 ? " AND " : "") + std::string(name) + " = ?";
    names.all += std::string(name) + ", ";
    names.parameters += "?, ";
  });
  names.all += "digest";
  names.parameters += "?";
  return names;
}

template <class Row>
void insert(const sqlite::Database& database, std::span<const Row> rows) {
  const ColumnNames names = column_names<Row>();
  sqlite::Statement statement(database, "INSERT INTO " + std::string(Row::kTable) + " (" +
                                            names.all + ") VALUES (" + names.parameters + ")");
  Seals changes;
  for (const Row& row : rows) {
    RowBinder binder(statement, std::numeric_limits<int>::max());
    Row::columns(row, binder);
    const std::uint64_t digest = digest_of(row);
    statement.bind(binder.bound() + 1, static_cast<std::int64_t>(digest));
    statement.step();
    statement.reset();
    changes[scope_of(row)].add(digest);
  }
  add_to_seals(database, changes);
}

template <class Row>
void insert(const sqlite::Database& database, const Row& row) {
  insert(database, std::span<const Row>(&row, 1));
}

// Erases the rows with these keys; a missing row is no error.
template <class Row>
void erase(const sqlite::Database& database, std::span<const Row> rows) {
  sqlite::Statement statement(database, "DELETE FROM " + std::string(Row::kTable) + " WHERE " +
                                            column_names<Row>().key + " RETURNING digest");
  Seals changes;
  for (const Row& row : rows) {
    RowBinder binder(statement, Row::kKeyColumns);
    Row::columns(row, binder);
    while (statement.step()) {
      changes[scope_of(row)].remove(static_cast<std::uint64_t>(statement.integer(0)));
    }
    statement.reset();
  }
  add_to_seals(database, changes);
}

// Replaces the rows with the same keys.
template <class Row>
void replace(const sqlite::Database& database, std::span<const Row> rows) {
  erase(database, rows);
  insert(database, rows);
}

// Loads the rows of one scope: a whole table, or the samples of one session.
template <class Row>
std::vector<Row> load(const sqlite::Database& database, const std::string& scope,
                      const OnDamage& on_damage, const Id* session = nullptr) {
  sqlite::Statement statement(database, "SELECT " + column_names<Row>().all + " FROM " +
                                            std::string(Row::kTable) +
                                            (session == nullptr ? "" : " WHERE session = ?"));
  if (session != nullptr) RowBinder(statement, 1)("session", *session);
  std::vector<Row> rows;
  Seal seal;
  std::unordered_set<std::uint64_t> digests;
  while (statement.step()) {
    Row row{};
    RowReader reader(statement);
    try {
      Row::columns(row, reader);
    } catch (const Error& error) {
      on_damage(std::string("a row of table ") + std::string(Row::kTable) + ": " + error.what());
      continue;
    }
    const auto stored = static_cast<std::uint64_t>(statement.integer(reader.column()));
    seal.add(stored);
    if (stored != digest_of(row)) {
      on_damage("a row of table " + std::string(Row::kTable) + " does not match its digest");
      continue;
    }
    if (!digests.insert(stored).second) {
      on_damage("a row of table " + std::string(Row::kTable) + " is there twice");
      continue;
    }
    rows.push_back(std::move(row));
  }
  if (seal != read_seal(database, scope)) {
    on_damage("table " + std::string(Row::kTable) +
              " does not match its seal: rows were lost or added");
  }
  return rows;
}

template <class Row>
std::vector<Row> load(const sqlite::Database& database, const OnDamage& on_damage) {
  return load<Row>(database, std::string(Row::kTable), on_damage);
}

}  // namespace nmt::profiledb
