// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/catalog.h"

#include <map>
#include <tuple>
#include <type_traits>

#include "core/plan_json.h"

namespace nmt::profiledb {

using sqlite::Database;

Catalog load_catalog(const Database& database) {
  Catalog catalog;
  Catalog::tables(catalog, [&](auto& rows) {
    using Row = typename std::remove_reference_t<decltype(rows)>::value_type;
    rows = load<Row>(database, refuse_damage(database, "the profile"));
  });
  return catalog;
}

std::vector<SampleRow> load_samples(const Database& database, const Catalog& catalog,
                                    const Id& session, const OnDamage& on_damage) {
  std::map<Id, const Condition*> conditions;
  for (const ConditionRow& row : catalog.conditions) conditions[row.id] = &row.condition;
  std::vector<SampleRow> rows =
      load<SampleRow>(database, sample_scope(session), on_damage, &session);
  std::erase_if(rows, [&](SampleRow& row) {
    const auto condition = conditions.find(row.condition);
    if (condition == conditions.end()) {
      on_damage("the condition of a sample is lost");
      return true;
    }
    row.sample.condition = *condition->second;
    return false;
  });
  return rows;
}

std::map<Id, std::vector<Id>> members_by_group(const Catalog& catalog) {
  std::map<Id, std::vector<Id>> members;
  for (const PathGroupMemberRow& member : catalog.path_group_members) {
    members[member.path_group].push_back(member.path);
  }
  for (auto& [group, ids] : members) std::ranges::sort(ids);
  return members;
}

std::map<Id, std::vector<Path>> paths_by_group(const Catalog& catalog) {
  const auto path_rows = by_id(catalog.paths);
  const auto rails = by_id(catalog.rails);
  std::map<Id, std::vector<Path>> paths;
  for (const auto& [group, ids] : members_by_group(catalog)) {
    for (const Id& id : ids) {
      const PathRow* path = find_row(path_rows, id);
      const RailRow* from = path == nullptr ? nullptr : find_row(rails, path->from_rail);
      const RailRow* to = path == nullptr ? nullptr : find_row(rails, path->to_rail);
      if (from == nullptr || to == nullptr) continue;
      paths[group].push_back({path->id, from->node, to->node, from->rail, to->rail});
    }
  }
  return paths;
}

bool same_fields(const Fields& a, const Fields& b) {
  return to_json(a).dump() == to_json(b).dump();
}

bool same_rail(const RailRow& row, const Id& node, const Rail& rail) {
  return row.node == node && row.rail.driver == rail.driver && row.rail.name == rail.name &&
         same_fields(row.rail.fingerprint, rail.fingerprint);
}

std::vector<CampaignRow> newest_first(std::vector<CampaignRow> campaigns) {
  std::ranges::sort(campaigns, [](const CampaignRow& a, const CampaignRow& b) {
    return std::tie(a.started_utc, a.id) > std::tie(b.started_utc, b.id);
  });
  return campaigns;
}

}  // namespace nmt::profiledb
