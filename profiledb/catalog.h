// SPDX-License-Identifier: BSD-3-Clause
//
// The catalog of a profile (all its small tables), loaded completely, and lookups in it.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "profiledb/rows.h"
#include "profiledb/sqlite.h"
#include "profiledb/table.h"

namespace nmt::profiledb {

Catalog load_catalog(const sqlite::Database& database);  // Error(kDatabase) if damaged

// Samples with their conditions; the session must be in the catalog.
std::vector<SampleRow> load_samples(const sqlite::Database& database, const Catalog& catalog,
                                    const Id& session, const OnDamage& on_damage);

template <class Row>
const Row* find_row(const std::vector<Row>& rows, const Id& id) {
  const auto found = std::ranges::find(rows, id, &Row::id);
  return found == rows.end() ? nullptr : &*found;
}

// The row with this id; Error(kUsage) "FILE: no TABLE ID" if there is none.
template <class Row>
const Row& require_row(const sqlite::Database& database, const std::vector<Row>& rows,
                       const Id& id) {
  const Row* row = find_row(rows, id);
  if (row == nullptr) {
    throw Error(Fault::kUsage,
                database.file() + ": no " + std::string(Row::kTable) + " " + id.hex());
  }
  return *row;
}

// Of all groups at once, because a profile of a large cluster has thousands of paths: the paths of
// each group, ordered by id; a group of one gives that path.
std::map<Id, std::vector<Path>> paths_by_group(const Catalog& catalog);
std::map<Id, std::vector<Id>> members_by_group(const Catalog& catalog);

// Rows by id; they point into `rows`. Of equal ids, the first.
template <class Row>
std::map<Id, const Row*> by_id(const std::vector<Row>& rows) {
  std::map<Id, const Row*> found;
  for (const Row& row : rows) found.emplace(row.id, &row);
  return found;
}
template <class Row>
const Row* find_row(const std::map<Id, const Row*>& rows, const Id& id) {
  const auto found = rows.find(id);
  return found == rows.end() ? nullptr : found->second;
}

// Compares them in the form in which they are stored.
bool same_fields(const Fields& a, const Fields& b);
bool same_rail(const RailRow& row, const Id& node, const Rail& rail);

// By start time; ties by id.
std::vector<CampaignRow> newest_first(std::vector<CampaignRow> campaigns);

}  // namespace nmt::profiledb
