// SPDX-License-Identifier: BSD-3-Clause
//
// Samples: stored block by block; loaded by campaign, or those in force.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "profiledb/catalog.h"
#include "profiledb/implementation.h"
#include "profiledb/in_force.h"
#include "profiledb/table.h"

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Transaction;

namespace {

// One set per session and path (or group), with the samples that `counts` accepts.
std::vector<SampleSet> load_sets(const Database& database, const Catalog& catalog,
                                 const CampaignRow& campaign,
                                 const std::function<bool(const SampleRow&)>& counts) {
  const OnDamage on_damage =
      refuse_damage(database, "campaign " + campaign.id.hex() + " of " + campaign.started_utc);
  const std::map<Id, std::vector<Path>> paths_of = paths_by_group(catalog);
  std::vector<SampleSet> sets;
  for (const SessionRow& session : catalog.sessions) {
    if (session.campaign != campaign.id) continue;
    std::map<Id, std::vector<Sample>> by_group;
    for (SampleRow& row : load_samples(database, catalog, session.id, on_damage)) {
      if (counts(row)) by_group[row.path_group].push_back(std::move(row.sample));
    }
    for (auto& [path_group, samples] : by_group) {
      const auto paths = paths_of.find(path_group);
      if (paths == paths_of.end()) {
        on_damage("the path of a sample is lost");
        continue;
      }
      std::vector<Path> others = paths->second;
      const Path first = others.front();
      others.erase(others.begin());
      sets.push_back({campaign, session, first, std::move(samples), std::move(others)});
    }
  }
  return sets;
}

}  // namespace

void ProfileDb::store_samples(const Id& session, const Id& path, std::span<const Sample> samples) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  const Catalog catalog = load_catalog(database);
  require_row(database, catalog.sessions, session);
  require_row(database, catalog.path_groups, path);
  std::map<Id, ConditionRow> new_conditions;
  std::vector<SampleRow> rows;
  for (const Sample& sample : samples) {
    const ConditionRow condition = row_of(sample.condition);
    if (find_row(catalog.conditions, condition.id) == nullptr) {
      new_conditions.emplace(condition.id, condition);
    }
    rows.push_back({session, path, condition.id, sample, summarize(sample.repetitions)});
  }
  for (const auto& [id, condition] : new_conditions) insert(database, condition);
  replace(database, std::span<const SampleRow>(rows));
  transaction.commit();
}

std::vector<SampleSet> ProfileDb::sample_sets(const Id& campaign) const {
  Database& database = implementation_->database;
  const Transaction transaction(database, Transaction::Kind::kRead);
  const Catalog catalog = load_catalog(database);
  return load_sets(database, catalog, require_row(database, catalog.campaigns, campaign),
                   [](const SampleRow&) { return true; });
}

std::vector<SampleSet> ProfileDb::sample_sets_in_force(const Id& platform) const {
  Database& database = implementation_->database;
  const Transaction transaction(database, Transaction::Kind::kRead);
  const Catalog catalog = load_catalog(database);
  std::vector<SampleSet> sets;
  for (const CampaignCells& entry : in_force(campaign_cells(database, catalog, platform))) {
    std::set<std::pair<Id, Id>> counting;
    for (const MeasuredCell& cell : entry.cells) counting.insert({cell.path_group, cell.condition});
    std::ranges::move(load_sets(database, catalog, entry.campaign,
                                [&](const SampleRow& row) {
                                  return counting.contains({row.path_group, row.condition});
                                }),
                      std::back_inserter(sets));
  }
  return sets;
}

}  // namespace nmt::profiledb
