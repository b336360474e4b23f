// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/table.h"

#include <fmt/format.h>

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Statement;

std::string sample_scope(const Id& session) { return "sample " + session.hex(); }

Seal read_seal(const Database& database, const std::string& scope) {
  Statement statement(database, "SELECT row_count, digest FROM seal WHERE scope = ?");
  statement.bind_text(1, scope);
  if (!statement.step()) return {};
  return {statement.integer(0), static_cast<std::uint64_t>(statement.integer(1))};
}

void add_to_seals(const Database& database, const Seals& changes) {
  Statement statement(database,
                      "INSERT OR REPLACE INTO seal (scope, row_count, digest) VALUES (?, ?, ?)");
  for (const auto& [scope, change] : changes) {
    const Seal before = read_seal(database, scope);
    statement.bind_text(1, scope)
        .bind(2, before.row_count + change.row_count)
        .bind(3, static_cast<std::int64_t>(before.digest ^ change.digest));
    statement.step();
    statement.reset();
  }
}

OnDamage refuse_damage(const Database& database, const std::string& where) {
  return [&database, where](const std::string& what) {
    throw Error(
        Fault::kDatabase,
        fmt::format(
            "{}: {} is damaged and not used: {}; 'nmad-tune db check' reports what can be saved",
            database.file(), where, what));
  };
}

}  // namespace nmt::profiledb
