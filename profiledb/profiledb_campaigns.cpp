// SPDX-License-Identifier: BSD-3-Clause
//
// Campaigns and their sessions: begin, finish, resume, pin, prune.
#include <algorithm>
#include <set>

#include "profiledb/catalog.h"
#include "profiledb/implementation.h"
#include "profiledb/in_force.h"
#include "profiledb/table.h"

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

namespace {

void erase_campaign(const Database& database, const Catalog& catalog, const CampaignRow& campaign) {
  Statement erase_samples(database, "DELETE FROM sample WHERE session = ?");
  Statement erase_seal(database, "DELETE FROM seal WHERE scope = ?");
  for (const SessionRow& session : catalog.sessions) {
    if (session.campaign != campaign.id) continue;
    erase_samples.reset();
    RowBinder(erase_samples, 1)("session", session.id);
    erase_samples.step();
    erase_seal.reset();
    erase_seal.bind_text(1, sample_scope(session.id)).step();
    erase(database, std::span<const SessionRow>(&session, 1));
  }
  erase(database, std::span<const CampaignRow>(&campaign, 1));
}

}  // namespace

void ProfileDb::begin_campaign(const Campaign& campaign) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  require_row(database, load_catalog(database).platforms, campaign.platform);
  insert(database, CampaignRow{campaign, false});
  transaction.commit();
}

void ProfileDb::begin_session(const Session& session, const Id& campaign) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  require_row(database, load_catalog(database).campaigns, campaign);
  insert(database, SessionRow{session, campaign});
  transaction.commit();
}

void ProfileDb::note_elapsed(const Id& session, double elapsed_ns) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  SessionRow row = require_row(database, load_catalog(database).sessions, session);
  row.elapsed_ns = elapsed_ns;
  replace(database, std::span<const SessionRow>(&row, 1));
  transaction.commit();
}

void ProfileDb::finish_campaign(const Campaign& campaign) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  CampaignRow row = require_row(database, load_catalog(database).campaigns, campaign.id);
  row.complete = campaign.complete;
  row.finished_utc = campaign.finished_utc;
  row.quality = campaign.quality;
  row.remark = campaign.remark;
  replace(database, std::span<const CampaignRow>(&row, 1));
  transaction.commit();
}

std::vector<Campaign> ProfileDb::campaigns(const Id& platform) const {
  const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
  std::vector<CampaignRow> rows = newest_first(load_catalog(implementation_->database).campaigns);
  std::erase_if(rows, [&](const CampaignRow& row) { return row.platform != platform; });
  return {rows.begin(), rows.end()};
}

std::vector<Campaign> ProfileDb::pinned(const Id& platform) const {
  const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
  std::vector<CampaignRow> rows = newest_first(load_catalog(implementation_->database).campaigns);
  std::erase_if(rows,
                [&](const CampaignRow& row) { return row.platform != platform || !row.pinned; });
  return {rows.begin(), rows.end()};
}

std::optional<Campaign> ProfileDb::find_resumable(const Id& platform, const Fields& options) const {
  for (const Campaign& campaign : campaigns(platform)) {
    if (!campaign.complete && same_fields(campaign.options, options)) return campaign;
  }
  return std::nullopt;
}

void ProfileDb::pin(std::span<const Id> campaigns) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  const Catalog catalog = load_catalog(database);
  std::set<Id> platforms;
  for (const Id& id : campaigns) {
    platforms.insert(require_row(database, catalog.campaigns, id).platform);
  }
  std::vector<CampaignRow> changed;
  for (CampaignRow row : catalog.campaigns) {
    if (!campaigns.empty() && !platforms.contains(row.platform)) continue;
    const bool pinned = std::ranges::find(campaigns, row.id) != campaigns.end();
    if (pinned == row.pinned) continue;
    row.pinned = pinned;
    changed.push_back(row);
  }
  replace(database, std::span<const CampaignRow>(changed));
  transaction.commit();
}

std::size_t ProfileDb::prune(std::size_t keep) {
  Database& database = implementation_->database;
  std::size_t dropped = 0;
  {
    Transaction transaction(database, Transaction::Kind::kWrite);
    const Catalog catalog = load_catalog(database);
    for (const PlatformRow& platform : catalog.platforms) {
      const auto cells = campaign_cells(database, catalog, platform.id);
      for (const CampaignCells& entry : superseded(cells, keep)) {
        erase_campaign(database, catalog, entry.campaign);
        ++dropped;
      }
    }
    transaction.commit();
  }
  if (dropped > 0) database.run("VACUUM");  // returns the space to the file system
  return dropped;
}

}  // namespace nmt::profiledb
