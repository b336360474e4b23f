// SPDX-License-Identifier: BSD-3-Clause
//
// What was derived from samples: plans. Reading a plan reads no raw data.
#include <algorithm>

#include "core/clock.h"
#include "core/collective_sample.h"
#include "core/plan_json.h"
#include "profiledb/catalog.h"
#include "profiledb/implementation.h"
#include "profiledb/in_force.h"
#include "profiledb/table.h"

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

namespace {

std::optional<DerivedRow> load_plan_row(const Database& database, const Id& platform) {
  for (DerivedRow& row : load<DerivedRow>(database, refuse_damage(database, "what was derived"))) {
    if (row.platform == platform && row.kind == kPlanKind) return std::move(row);
  }
  return std::nullopt;
}

// Erases by SQL without reading, so that a damaged plan can be replaced.
void erase_plan(const Database& database, const Id& platform) {
  Statement statement(database,
                      "DELETE FROM derived WHERE platform = ? AND kind = ? RETURNING digest");
  RowBinder(statement, 1)("platform", platform);
  statement.bind_text(2, kPlanKind);
  Seals changes;
  while (statement.step()) {
    changes[std::string(DerivedRow::kTable)].remove(
        static_cast<std::uint64_t>(statement.integer(0)));
  }
  add_to_seals(database, changes);
}

// The MPI of the newest of these campaigns that sampled collectives; empty if none did.
std::string newest_mpi(const std::vector<SampleSet>& sets) {
  std::string newest_utc, mpi;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      if (!compares_algorithms(sample) || set.campaign.started_utc < newest_utc) continue;
      newest_utc = set.campaign.started_utc;
      mpi = sample.condition.mpi;
    }
  }
  return mpi;
}

std::uint64_t source_digest_now(const Database& database, const Id& platform) {
  const Catalog catalog = load_catalog(database);
  require_row(database, catalog.platforms, platform);
  return source_digest(database, catalog, in_force(campaign_cells(database, catalog, platform)));
}

}  // namespace

void ProfileDb::store_plan(const Plan& plan) {
  Database& database = implementation_->database;
  Transaction transaction(database, Transaction::Kind::kWrite);
  const DerivedRow row{.id = Id::random(),
                       .platform = plan.platform,
                       .kind = std::string(kPlanKind),
                       .name = "",
                       .created_utc = utc_now(),
                       .tool_version = NMT_VERSION,
                       .source_digest = source_digest_now(database, plan.platform),
                       .content = to_json(plan)};
  erase_plan(database, plan.platform);
  insert(database, row);
  transaction.commit();
}

std::optional<Plan> ProfileDb::plan(const Id& platform) const {
  std::optional<DerivedRow> row;
  {
    const Transaction transaction(implementation_->database, Transaction::Kind::kRead);
    row = load_plan_row(implementation_->database, platform);
  }
  if (!row) return std::nullopt;
  return plan_of(row->content);
}

std::optional<StoredPlan> ProfileDb::stored_plan(const Id& platform) const {
  Database& database = implementation_->database;
  std::optional<DerivedRow> row;
  bool is_current = false;
  {
    const Transaction transaction(database, Transaction::Kind::kRead);
    row = load_plan_row(database, platform);
    is_current = row && row->source_digest == source_digest_now(database, platform);
  }
  if (!row) return std::nullopt;
  return StoredPlan{plan_of(row->content), is_current};
}

Plan ProfileDb::plan_of(const json::Value& content) const {
  try {
    Plan plan = plan_from_json(json::Reader(content, "plan"));
    name_mpi(plan);
    return plan;
  } catch (const Error& error) {
    throw Error(Fault::kDatabase, file() + ": the stored plan cannot be read (" + error.what() +
                                      "); run 'nmad-tune retune' to derive it again");
  }
}

// Plans of schema 1 do not name the MPI of their rules. It is the one that was sampled last before
// the plan was derived: programs of that version used no other samples.
void ProfileDb::name_mpi(Plan& plan) const {
  const auto is_unnamed = [](const SegmentRule& rule) { return rule.mpi.empty(); };
  if (std::ranges::none_of(plan.segments, is_unnamed)) return;
  std::vector<SampleSet> derived_from = sample_sets_in_force(plan.platform);
  std::erase_if(derived_from, [&](const SampleSet& set) {
    return std::ranges::find(plan.campaigns, set.campaign.id) == plan.campaigns.end();
  });
  const std::string mpi = newest_mpi(derived_from);
  for (SegmentRule& rule : plan.segments) {
    if (is_unnamed(rule)) rule.mpi = mpi;
  }
}

bool ProfileDb::plan_is_current(const Id& platform) const {
  Database& database = implementation_->database;
  const Transaction transaction(database, Transaction::Kind::kRead);
  const auto row = load_plan_row(database, platform);
  return row && row->source_digest == source_digest_now(database, platform);
}

}  // namespace nmt::profiledb
