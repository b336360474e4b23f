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

// Reads samples, campaign by campaign. The caller holds a transaction.
class SampleReader {
 public:
  explicit SampleReader(const Database& database)
      : database_(database), catalog_(load_catalog(database)), paths_(paths_by_group(catalog_)) {}

  const Catalog& catalog() const { return catalog_; }

  // One set per session and path (or group). `in_force`: the cells that count, or null for none.
  CampaignSamples read(const CampaignRow& campaign, const CampaignCells* in_force) const {
    std::set<std::pair<Id, Id>> counting;
    if (in_force != nullptr) {
      for (const MeasuredCell& cell : in_force->cells) {
        counting.insert({cell.path_group, cell.condition});
      }
    }
    CampaignSamples samples;
    samples.campaign = campaign;
    for (const SessionRow& session : catalog_.sessions) {
      if (session.campaign == campaign.id) add(campaign, session, counting, &samples);
    }
    return samples;
  }

 private:
  void add(const CampaignRow& campaign, const SessionRow& session,
           const std::set<std::pair<Id, Id>>& counting, CampaignSamples* samples) const {
    struct Group {
      std::vector<Sample> samples;
      std::vector<bool> counts;
    };
    const OnDamage on_damage =
        refuse_damage(database_, "campaign " + campaign.id.hex() + " of " + campaign.started_utc);
    std::map<Id, Group> groups;
    for (SampleRow& row : load_samples(database_, catalog_, session.id, on_damage)) {
      Group& group = groups[row.path_group];
      group.counts.push_back(counting.contains({row.path_group, row.condition}));
      group.samples.push_back(std::move(row.sample));
    }
    for (auto& [id, group] : groups) {
      const auto paths = paths_.find(id);
      if (paths == paths_.end()) {
        on_damage("the path of a sample is lost");
        continue;
      }
      std::vector<Path> others = paths->second;
      const Path first = others.front();
      others.erase(others.begin());
      samples->sets.push_back(
          {campaign, session, first, std::move(group.samples), std::move(others)});
      samples->counts_.push_back(std::move(group.counts));
    }
  }

  const Database& database_;
  Catalog catalog_;
  std::map<Id, std::vector<Path>> paths_;
};

void CampaignSamples::keep_in_force() {
  std::vector<SampleSet> kept;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::vector<Sample> all = std::exchange(sets[i].samples, {});
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (counts_[i][j]) sets[i].samples.push_back(std::move(all[j]));
    }
    if (!sets[i].samples.empty()) kept.push_back(std::move(sets[i]));
  }
  sets = std::move(kept);
  counts_.clear();
  for (const SampleSet& set : sets) counts_.emplace_back(set.samples.size(), true);
}

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
  const SampleReader reader(database);
  return reader.read(require_row(database, reader.catalog().campaigns, campaign), nullptr).sets;
}

std::vector<SampleSet> ProfileDb::sample_sets_in_force(const Id& platform) const {
  Database& database = implementation_->database;
  const Transaction transaction(database, Transaction::Kind::kRead);
  const SampleReader reader(database);
  std::vector<SampleSet> sets;
  for (const CampaignCells& entry :
       in_force(campaign_cells(database, reader.catalog(), platform))) {
    CampaignSamples samples = reader.read(entry.campaign, &entry);
    samples.keep_in_force();
    std::ranges::move(samples.sets, std::back_inserter(sets));
  }
  return sets;
}

void ProfileDb::read_samples(const Id& platform,
                             const std::function<void(CampaignSamples)>& use) const {
  Database& database = implementation_->database;
  const Transaction transaction(database, Transaction::Kind::kRead);
  const SampleReader reader(database);
  const std::vector<CampaignCells> counting =
      in_force(campaign_cells(database, reader.catalog(), platform));
  for (const CampaignRow& campaign : newest_first(reader.catalog().campaigns)) {
    if (campaign.platform != platform) continue;
    const auto entry = std::ranges::find(
        counting, campaign.id, [](const CampaignCells& each) { return each.campaign.id; });
    CampaignSamples samples;
    try {
      samples = reader.read(campaign, entry == counting.end() ? nullptr : &*entry);
    } catch (const Error& error) {
      samples.campaign = campaign;
      samples.damage = error.what();
    }
    use(std::move(samples));
  }
}

}  // namespace nmt::profiledb
