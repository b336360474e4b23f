// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune db check, prune, pin: checks a profile, makes it smaller, and pins campaigns.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/retuned.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kKeep = 3;

Report check_database(const ProfileOptions& options, const Invocation& invocation) {
  const profiledb::ProfileDb db = open_whole_to_read(options, invocation);
  const std::vector<profiledb::ProfileDb::Problem> problems = db.check();
  Report report;
  Table table({"where", "what", "way out"});
  json::Value list = json::Value::array();
  report.records.header = {"where", "what", "remedy"};
  for (const profiledb::ProfileDb::Problem& problem : problems) {
    table.add({problem.where, problem.what, problem.remedy});
    report.records.rows.push_back({problem.where, problem.what, problem.remedy});
    list.push_back(json::Value::object()
                       .set("where", problem.where)
                       .set("what", problem.what)
                       .set("remedy", problem.remedy));
  }
  report.payload.set("file", db.file()).set("problems", std::move(list));
  report.summary = {{"problems", std::to_string(problems.size())}, {"profile", db.file()}};
  if (problems.empty()) {
    report.text.line(fmt::format("{}: no row is damaged", db.file()));
  } else {
    report.text.heading("Damage").table(std::move(table));
    report.problem = Problem(
        Fault::kDatabase,
        fmt::format("{}: {} problems; {}", db.file(), problems.size(), problems.front().remedy));
  }
  return report;
}

Report prune(std::uint64_t keep, const ProfileOptions& options, const Invocation& invocation) {
  if (keep == 0)
    throw Error(Fault::kUsage, "--keep: 0 would delete all campaigns; keep at least 1");
  profiledb::ProfileDb db = open_whole_to_write(options, invocation, false);
  const std::size_t dropped = db.prune(keep);
  Report report;
  report.text.line(fmt::format("{} superseded campaigns deleted", dropped));
  report.payload.set("dropped", dropped);
  report.records = {{"dropped"}, {{dropped}}};
  report.summary = {{"dropped", std::to_string(dropped)}, {"profile", db.file()}};
  return report;
}

Report pin(const std::vector<std::string>& prefixes, bool none, const ProfileOptions& options,
           const Invocation& invocation) {
  if (none == !prefixes.empty()) {
    throw Error(Fault::kUsage,
                "no campaign to pin; name campaigns as nmad-tune show lists them, or give --none");
  }
  profiledb::ProfileDb db = open_whole_to_write(options, invocation, false);
  std::vector<Id> known;
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.campaigns(platform.id)) known.push_back(campaign.id);
  }
  std::vector<Id> chosen;
  for (const std::string& prefix : prefixes) chosen.push_back(find_by_prefix(prefix, known, "pin"));
  db.pin(chosen);
  return retuned(db, db.platforms());
}

}  // namespace

Work declare_db_check(Options& options, const ProfileOptions& profile) {
  options.example("nmad-tune db check --db old.db");
  return [&profile](const Invocation& invocation) { return check_database(profile, invocation); };
}

Work declare_db_prune(Options& options, const ProfileOptions& profile) {
  const auto keep = std::make_shared<std::optional<std::uint64_t>>();
  options.count("--keep", *keep, "campaigns to keep for each thing that was measured (default: 3)");
  options.example("nmad-tune db prune --keep 5");
  return [keep, &profile](const Invocation& invocation) {
    return prune(keep->value_or(kKeep), profile, invocation);
  };
}

Work declare_db_pin(Options& options, const ProfileOptions& profile) {
  struct PinOptions {
    std::vector<std::string> campaigns;
    bool none = false;
  };
  const auto own = std::make_shared<PinOptions>();
  options.texts("ID", own->campaigns, "campaigns that count together");
  options.flag("--none", own->none, "pin none: the newest complete campaign of each rail counts");
  options.example("nmad-tune db pin 3f0c 91ab");
  return [own, &profile](const Invocation& invocation) {
    return pin(own->campaigns, own->none, profile, invocation);
  };
}

}  // namespace nmt::tools
