// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/survey.h"

#include <set>
#include <type_traits>

#include "core/plan_json.h"
#include "profiledb/catalog.h"
#include "profiledb/implementation.h"
#include "profiledb/table.h"

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

namespace {

constexpr const char* kSalvage = "'nmad-tune db export --salvage FILE.json' saves what is whole";
constexpr const char* kRetune = "'nmad-tune retune' derives it again";

class Surveyor {
 public:
  explicit Surveyor(const Database& database) : database_(database) {}

  Survey run() {
    Catalog::tables(found_.whole, [&](auto& rows) {
      using Row = typename std::remove_reference_t<decltype(rows)>::value_type;
      const bool whole =
          attempt(std::string(Row::kTable), kSalvage,
                  [&](const OnDamage& on_damage) { rows = load<Row>(database_, on_damage); });
      if (!whole && std::is_same_v<Row, SessionRow>) distrust_campaigns();
    });
    for (const SessionRow& session : found_.whole.sessions) survey_samples(session);
    survey_derived();
    drop_orphans();
    return std::move(found_);
  }

 private:
  // Runs a load; returns whether it found no damage.
  template <class Load>
  bool attempt(const std::string& where, const char* remedy, Load load) {
    const std::size_t before = found_.problems.size();
    const OnDamage on_damage = [&](const std::string& what) {
      found_.problems.push_back({where, what, remedy});
    };
    try {
      load(on_damage);
    } catch (const Error& error) {
      on_damage(error.what());
    }
    return found_.problems.size() == before;
  }

  // Any campaign may have lost a session.
  void distrust_campaigns() {
    for (CampaignRow& campaign : found_.whole.campaigns) {
      campaign.complete = false;
      campaign.remark = "salvaged from a damaged profile";
    }
  }

  void survey_samples(const SessionRow& session) {
    const CampaignRow* campaign = find_row(found_.whole.campaigns, session.campaign);
    const std::string where = "campaign " + session.campaign.hex() +
                              (campaign == nullptr ? "" : " of " + campaign->started_utc);
    std::vector<SampleRow> samples;
    const bool whole = attempt(where, kSalvage, [&](const OnDamage& on_damage) {
      samples = load_samples(database_, found_.whole, session.id, on_damage);
    });
    if (!whole) damaged_campaigns_.insert(session.campaign);
    found_.whole.samples.insert(found_.whole.samples.end(), samples.begin(), samples.end());
  }

  void survey_derived() {
    attempt("derived", kRetune, [&](const OnDamage& on_damage) {
      for (DerivedRow& row : load<DerivedRow>(database_, on_damage)) {
        if (row.kind == kPlanKind) plan_from_json(json::Reader(row.content, "the stored plan"));
        found_.whole.derived.push_back(std::move(row));
      }
    });
  }

  // Drops rows whose parent rows are missing.
  void drop_orphans() {
    Contents& whole = found_.whole;
    const auto keep = [](auto& rows, auto&&... links_exist) {
      std::erase_if(rows, [&](const auto& row) { return !(links_exist(row) && ...); });
    };
    keep(whole.nodes, [&](const NodeRow& row) { return find_row(whole.platforms, row.platform); });
    keep(whole.rails, [&](const RailRow& row) { return find_row(whole.nodes, row.node); });
    keep(
        whole.paths, [&](const PathRow& row) { return find_row(whole.rails, row.from_rail); },
        [&](const PathRow& row) { return find_row(whole.rails, row.to_rail); });
    keep(
        whole.path_group_members,
        [&](const PathGroupMemberRow& row) { return find_row(whole.paths, row.path); },
        [&](const PathGroupMemberRow& row) { return find_row(whole.path_groups, row.path_group); });
    const std::map<Id, std::vector<Id>> members = members_by_group(whole);
    keep(whole.path_groups, [&](const PathGroupRow& row) { return members.contains(row.id); });
    keep(
        whole.campaigns,
        [&](const CampaignRow& row) { return find_row(whole.platforms, row.platform); },
        [&](const CampaignRow& row) { return !damaged_campaigns_.contains(row.id); });
    keep(whole.sessions,
         [&](const SessionRow& row) { return find_row(whole.campaigns, row.campaign); });
    keep(
        whole.samples, [&](const SampleRow& row) { return find_row(whole.sessions, row.session); },
        [&](const SampleRow& row) { return find_row(whole.path_groups, row.path_group); });
    keep(whole.derived,
         [&](const DerivedRow& row) { return find_row(whole.platforms, row.platform); });
  }

  const Database& database_;
  Survey found_;
  std::set<Id> damaged_campaigns_;
};

// Problems that SQLite's own check finds.
void add_structural_problems(const Database& database, std::vector<ProfileDb::Problem>& problems) {
  try {
    Statement integrity(database, "PRAGMA integrity_check");
    while (integrity.step()) {
      if (integrity.text(0) != "ok") problems.push_back({"file", integrity.text(0), kSalvage});
    }
    Statement links(database, "PRAGMA foreign_key_check");
    while (links.step()) {
      problems.push_back(
          {links.text(0), "a row refers to a lost row of " + links.text(2), kSalvage});
    }
  } catch (const Error& error) {
    problems.push_back({"file", error.what(), kSalvage});
  }
}

}  // namespace

Survey survey(const Database& database) { return Surveyor(database).run(); }

std::vector<ProfileDb::Problem> ProfileDb::check() const {
  Database& database = implementation_->database;
  const Transaction transaction(database, Transaction::Kind::kRead);
  std::vector<Problem> problems = survey(database).problems;
  add_structural_problems(database, problems);
  return problems;
}

}  // namespace nmt::profiledb
