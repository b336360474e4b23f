// SPDX-License-Identifier: BSD-3-Clause
//
// Platforms, nodes, rails, paths and groups of paths: looked up, and added if absent.
#include <algorithm>

#include "profiledb/catalog.h"
#include "profiledb/implementation.h"
#include "profiledb/table.h"

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Transaction;

namespace {

RailRow ensure_rail(Database& database, const Catalog& catalog, const Id& node, const Rail& rail) {
  for (const RailRow& row : catalog.rails) {
    if (same_rail(row, node, rail)) return row;
  }
  RailRow row{Id::random(), node, rail};
  insert(database, row);
  return row;
}

// The group of exactly these paths, given as sorted ids.
const PathGroupRow* find_group(const Catalog& catalog, const std::vector<Id>& paths) {
  std::map<Id, std::vector<Id>> members = members_by_group(catalog);
  for (const PathGroupRow& group : catalog.path_groups) {
    if (members[group.id] == paths) return &group;
  }
  return nullptr;
}

void insert_group(Database& database, const Id& id, const std::vector<Id>& paths) {
  insert(database, PathGroupRow{id});
  for (const Id& path : paths) insert(database, PathGroupMemberRow{id, path});
}

}  // namespace

Platform ProfileDb::ensure_platform(const Platform& platform) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  const Catalog catalog = load_catalog(database);
  for (const PlatformRow& row : catalog.platforms) {
    if (same_fields(row.fingerprint, platform.fingerprint)) return row;
  }
  insert(database, PlatformRow{platform});
  transaction.commit();
  return platform;
}

Node ProfileDb::ensure_node(const Node& node, const Id& platform) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  const Catalog catalog = load_catalog(database);
  require_row(database, catalog.platforms, platform);
  for (const NodeRow& row : catalog.nodes) {
    if (row.platform == platform && row.host == node.host) return {row.id, row.host};
  }
  insert(database, NodeRow{node.id, platform, node.host});
  transaction.commit();
  return node;
}

Path ProfileDb::ensure_path(const Path& path) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  Catalog catalog = load_catalog(database);
  require_row(database, catalog.nodes, path.from_node);
  require_row(database, catalog.nodes, path.to_node);
  const RailRow from = ensure_rail(database, catalog, path.from_node, path.from);
  catalog.rails.push_back(from);  // the other end may be the same rail
  const RailRow to = ensure_rail(database, catalog, path.to_node, path.to);
  Path stored = path;
  for (const PathRow& row : catalog.paths) {
    if (row.from_rail != from.id || row.to_rail != to.id) continue;
    stored.id = row.id;
    return stored;
  }
  insert(database, PathRow{path.id, from.id, to.id});
  insert_group(database, path.id, {path.id});
  transaction.commit();
  return stored;
}

Id ProfileDb::ensure_path_group(std::span<const Id> paths) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  const Catalog catalog = load_catalog(database);
  std::vector<Id> members(paths.begin(), paths.end());
  for (const Id& path : members) require_row(database, catalog.paths, path);
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (const PathGroupRow* group = find_group(catalog, members)) return group->id;
  const Id id = Id::random();
  insert_group(database, id, members);
  transaction.commit();
  return id;
}

std::vector<Platform> ProfileDb::platforms() const {
  const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
  const Catalog catalog = load_catalog(implementation_->database);
  return {catalog.platforms.begin(), catalog.platforms.end()};
}

std::vector<Node> ProfileDb::nodes() const {
  const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
  std::vector<Node> nodes;
  for (const NodeRow& row : load_catalog(implementation_->database).nodes) {
    nodes.push_back({row.id, row.host});
  }
  return nodes;
}

std::vector<Path> ProfileDb::paths(const Id& platform) const {
  const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
  const Catalog catalog = load_catalog(implementation_->database);
  const auto nodes = by_id(catalog.nodes);
  std::map<Id, std::vector<Path>> by_group = paths_by_group(catalog);
  std::vector<Path> paths;
  for (const PathRow& row : catalog.paths) {
    for (const Path& path : by_group[row.id]) {
      const NodeRow* node = find_row(nodes, path.from_node);
      if (node != nullptr && node->platform == platform) paths.push_back(path);
    }
  }
  return paths;
}

std::map<Id, PathName> ProfileDb::path_names() const {
  const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
  const Catalog catalog = load_catalog(implementation_->database);
  const auto rails = by_id(catalog.rails);
  const auto nodes = by_id(catalog.nodes);
  std::map<Id, PathName> names;
  for (const PathRow& path : catalog.paths) {
    const RailRow* from = find_row(rails, path.from_rail);
    const RailRow* to = find_row(rails, path.to_rail);
    const NodeRow* near = from == nullptr ? nullptr : find_row(nodes, from->node);
    const NodeRow* far = to == nullptr ? nullptr : find_row(nodes, to->node);
    if (near == nullptr || far == nullptr) continue;  // loading its samples reports the damage
    PathName& name = names[path.id];
    name = {.node = near->host,
            .rail = from->rail.full_name(),
            .peer = "",
            .peer_rail = "",
            .platform = near->platform,
            .peer_platform = far->platform};
    if (near->id == far->id) continue;
    name.peer = far->host;
    name.peer_rail = to->rail.full_name();
  }
  return names;
}

}  // namespace nmt::profiledb
