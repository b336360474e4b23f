// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/in_force.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Statement;

namespace {

using PlaceAndCondition = std::pair<std::string, Id>;

std::map<Id, std::string> places(const Catalog& catalog) {
  std::map<Id, std::string> by_group;
  std::map<Id, std::vector<Path>> paths = paths_by_group(catalog);
  for (const PathGroupRow& group : catalog.path_groups) {
    std::set<std::string> ends;
    for (const Path& path : paths[group.id]) {
      ends.insert(path.from_node.hex() + " " + path.from.full_name() + " " + path.to_node.hex() +
                  " " + path.to.full_name());
    }
    std::string& place = by_group[group.id];
    for (const std::string& end : ends) place += end + "\n";
  }
  return by_group;
}

std::vector<const SessionRow*> sessions_of(const Catalog& catalog, const Id& campaign) {
  std::vector<const SessionRow*> found;
  for (const SessionRow& session : catalog.sessions) {
    if (session.campaign == campaign) found.push_back(&session);
  }
  std::ranges::sort(found, {}, &SessionRow::id);
  return found;
}

}  // namespace

std::vector<CampaignCells> campaign_cells(const Database& database, const Catalog& catalog,
                                          const Id& platform) {
  const std::map<Id, std::string> place_of = places(catalog);
  Statement statement(database,
                      "SELECT DISTINCT path_group, condition FROM sample WHERE session = ?");
  std::vector<CampaignCells> all;
  for (const CampaignRow& campaign : newest_first(catalog.campaigns)) {
    if (campaign.platform != platform) continue;
    CampaignCells& entry = all.emplace_back(CampaignCells{campaign, {}});
    for (const SessionRow* session : sessions_of(catalog, campaign.id)) {
      statement.reset();
      RowBinder(statement, 1)("session", session->id);
      while (statement.step()) {
        MeasuredCell cell;
        RowReader reader(statement);
        reader("path_group", cell.path_group);
        reader("condition", cell.condition);
        const auto place = place_of.find(cell.path_group);
        if (place == place_of.end()) continue;  // loading the sample will report the damage
        cell.place = place->second;
        entry.cells.insert(cell);
      }
    }
  }
  return all;
}

std::vector<CampaignCells> in_force(std::vector<CampaignCells> newest_first) {
  const auto is_pinned = [](const CampaignCells& entry) { return entry.campaign.pinned; };
  if (std::ranges::any_of(newest_first, is_pinned)) {
    std::erase_if(newest_first, [&](const CampaignCells& entry) { return !is_pinned(entry); });
    return newest_first;
  }
  std::ranges::stable_sort(newest_first, {}, [](const CampaignCells& entry) {
    return entry.campaign.complete ? entry.campaign.has_only_landmarks() : 2;
  });
  std::set<PlaceAndCondition> taken;
  for (CampaignCells& entry : newest_first) {
    std::erase_if(entry.cells, [&](const MeasuredCell& cell) {
      return taken.contains({cell.place, cell.condition});
    });
    for (const MeasuredCell& cell : entry.cells) taken.insert({cell.place, cell.condition});
  }
  std::erase_if(newest_first, [](const CampaignCells& entry) { return entry.cells.empty(); });
  return newest_first;
}

std::vector<CampaignCells> superseded(const std::vector<CampaignCells>& newest_first,
                                      std::size_t keep) {
  // By whether those of landmarks count too.
  std::map<PlaceAndCondition, std::size_t> newer_complete[2];
  std::size_t newer_complete_any = 0;
  std::vector<CampaignCells> found;
  for (const CampaignCells& entry : newest_first) {
    const bool landmarks = entry.campaign.has_only_landmarks();
    const bool all_superseded = std::ranges::all_of(entry.cells, [&](const MeasuredCell& cell) {
      return newer_complete[landmarks][{cell.place, cell.condition}] >= keep;
    });
    const bool superseded = newer_complete_any >= keep && all_superseded;
    if (superseded && !entry.campaign.pinned) found.push_back(entry);
    if (!entry.campaign.complete) continue;
    ++newer_complete_any;
    std::set<PlaceAndCondition> once;
    for (const MeasuredCell& cell : entry.cells) once.insert({cell.place, cell.condition});
    for (const PlaceAndCondition& cell : once) {
      ++newer_complete[true][cell];
      if (!landmarks) ++newer_complete[false][cell];
    }
  }
  return found;
}

std::uint64_t source_digest(const Database& database, const Catalog& catalog,
                            const std::vector<CampaignCells>& counting) {
  std::map<Id, const CampaignCells*> by_id;
  for (const CampaignCells& entry : counting) by_id[entry.campaign.id] = &entry;
  Digest digest;
  for (const auto& [id, entry] : by_id) {
    digest.add(id.hex());
    for (const MeasuredCell& cell : entry->cells)
      digest.add(cell.path_group.hex()).add(cell.condition.hex());
    for (const SessionRow* session : sessions_of(catalog, id)) {
      const Seal seal = read_seal(database, sample_scope(session->id));
      digest.add(session->id.hex())
          .add(static_cast<std::uint64_t>(seal.row_count))
          .add(seal.digest);
    }
  }
  return digest.value();
}

}  // namespace nmt::profiledb
