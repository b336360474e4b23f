// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune report: all that a profile holds as one page with plots, for a browser.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "core/clock.h"
#include "core/error.h"
#include "core/plan_json.h"
#include "core/units.h"
#include "tools/command/pair_times.h"
#include "tools/command/report_outliers.h"
#include "tools/command/report_thresholds.h"
#include "tools/command/report_verification.h"
#include "tools/command/write_file.h"
#include "tools/report/cluster_data.h"
#include "tools/report/collectives_data.h"
#include "tools/report/diff_data.h"
#include "tools/report/exports_data.h"
#include "tools/report/node_data.h"
#include "tools/report/report.h"
#include "tools/report/split_data.h"
#include "tools/report/tables.h"
#include "tools/tune/diff_sides.h"
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTrendCampaignsMax = 50;  // of each side, the newest

struct ReportOptions {
  std::string output;
  std::string against;  // an older profile; empty: none
  bool anonymous = false;
  bool force = false;
};

// A copy of the profile without names and addresses, in a folder that only this user reads.
class AnonymousCopy {
 public:
  AnonymousCopy(const ProfileOptions& options, const Invocation& invocation) {
    std::string name = (fs::temp_directory_path() / "nmadtune-report-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(Fault::kFailed, fmt::format("{}: cannot create this folder; set TMPDIR to a "
                                              "folder that you can write to",
                                              name));
    }
    folder_ = name;
    const std::string text =
        open_whole_to_read(options, invocation).export_json({.anonymous = true});
    profiledb::ProfileDb(file(), {.mode = profiledb::ProfileDb::Mode::kWrite})
        .import_json(text, "the profile");
  }
  ~AnonymousCopy() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  AnonymousCopy(const AnonymousCopy&) = delete;
  AnonymousCopy& operator=(const AnonymousCopy&) = delete;

  std::string file() const { return (folder_ / "profile.db").string(); }

 private:
  fs::path folder_;
};

// Rails between the same two ends as the first rail that has a transfer; a message can be split
// over them.
std::vector<std::string> rails_together(const OpenProfile& profile,
                                        const std::vector<RailPlan>& rails) {
  std::map<Id, std::pair<Id, Id>> ends;
  for (const Path& path : profile.db.paths(profile.platform.id)) {
    ends[path.id] = {path.from_node, path.to_node};
  }
  std::map<std::pair<Id, Id>, std::vector<std::string>> groups;
  std::vector<std::string> most;
  for (const RailPlan& rail : rails) {
    const bool transfers = std::ranges::any_of(rail.curves, [](const PlanCurve& curve) {
      return curve.benchmark == benchmark::kTransfer;
    });
    if (rail.regime != "hot" || !transfers) continue;
    std::vector<std::string>& group = groups[ends[rail.path]];
    if (std::ranges::find(group, rail.rail) == group.end()) group.push_back(rail.rail);
    if (group.size() > most.size()) most = group;
  }
  return most;
}

// Data of the pages, and their tables for browsers without scripts.
struct Pages {
  std::string title;
  json::Value data = json::Value::object();
  Text tables;
};

void add_node(const OpenProfile& profile, const Plan& plan, const std::map<Id, PathName>& names,
              const std::vector<SampleSet>& sets, Pages* pages) {
  const std::vector<RailPlan> rails = shown_rails(plan);
  const std::vector<NamedPlan> named =
      named_plans(rails, names, {.node = "", .peer = "", .path = "", .all = true});
  pages->data.set("rails", rails_json(named))
      .set("origins", origins_json(sets))
      .set("foreign", foreign_json(rails))
      .set("held_out", held_out_json(rails, plan, sets))
      .set("exports", exports_json(profile.db, profile.platform.id, plan, profile.location.file));
  add_thresholds(named, &pages->tables);
  add_curve_tables(rails, &pages->tables);
  add_foreign_tables(*pages->data.find("foreign"), &pages->tables);
  if (plan.verification) {
    pages->data.set("verification", to_json(*plan.verification));
    add_verification(*plan.verification, &pages->tables);
  }
}

void add_splits(const OpenProfile& profile, const Plan& plan, const ProfileOptions& options,
                const Invocation& invocation, Pages* pages) {
  json::Value splits = json::Value::array();
  const std::vector<std::string> together = rails_together(profile, shown_rails(plan));
  if (together.size() > 1) splits = splits_json(open_advice(options, invocation), together);
  pages->data.set("splits", std::move(splits));
}

void add_collectives(const OpenProfile& profile, const Plan& plan,
                     const std::vector<SampleSet>& sets, Pages* pages) {
  if (!plan.segments.empty()) {
    const Report rules = show_collectives(profile, plan, sets);
    std::vector<tuner::CollectiveCell> cells = tuner::collective_cells(sets);
    for (tuner::CollectiveCell& cell : predicted_cells(cells)) cells.push_back(std::move(cell));
    pages->data.set("collectives", json::Value::object()
                                       .set("rules", *rules.payload.find("rules"))
                                       .set("cells", collective_cells_json(cells, plan.segments)));
    pages->tables.append(rules.text);
  }
  json::Value alltoalls = json::Value::array();
  for (const contention::AlltoallTimes& times : contention::alltoall_times(sets))
    alltoalls.push_back(alltoall_json(times));
  add_alltoall_tables(alltoalls, &pages->tables);
  pages->data.set("alltoalls", std::move(alltoalls));
}

json::Value without(json::Value object, std::string_view name) {
  std::erase_if(*object.get_if<json::Value::Object>(),
                [&](const json::Value::Member& member) { return member.first == name; });
  return object;
}

json::Value without_curves(json::Value pairs) {
  for (json::Value& pair : *pairs.get_if<json::Value::Array>()) {
    pair = without(std::move(pair), "curve");
  }
  return pairs;
}

// A profile, opened, and what one reading of all its campaigns gives.
struct ReadProfile {
  const OpenProfile* profile = nullptr;
  std::vector<Plan> plans;  // of all platforms, that of the chosen one first
  std::map<Id, PathName> names;
  std::map<Id, CampaignContent> contents;
  PairTimesByCampaign pair_times;
  DiffSide side;
  std::vector<TrendPoint> trend;
  std::string started_utc;  // of the newest campaign in force

  const Plan& plan() const { return plans.front(); }
};

void read_campaigns(const Platform& platform, ReadProfile* read) {
  const profiledb::ProfileDb& db = read->profile->db;
  const bool chosen = platform.id == read->profile->platform.id;
  std::size_t count = 0;
  for (const Campaign& campaign : db.campaigns(platform.id)) {  // newest first
    CampaignContent& content = read->contents[campaign.id];
    std::vector<SampleSet> sets;
    try {
      sets = db.sample_sets(campaign.id);
    } catch (const Error& error) {
      content.damage = error.what();
      continue;
    }
    for (const SampleSet& set : sets) {
      content.add(set);
      const auto name = read->names.find(set.path.id);
      if (name != read->names.end()) read->pair_times.add(set, name->second);
      read->side.add(platform, set, read->names);
    }
    const std::vector<Id>& in_force = read->plan().campaigns;
    if (std::ranges::find(in_force, campaign.id) != in_force.end()) {
      read->started_utc = std::max(read->started_utc, campaign.started_utc);
    }
    if (chosen && count++ < kTrendCampaignsMax) {
      std::ranges::move(trend_of(campaign, sets), std::back_inserter(read->trend));
    }
  }
}

ReadProfile read_all(const OpenProfile& profile, const Invocation& invocation) {
  ReadProfile read;
  read.profile = &profile;
  read.names = profile.db.path_names();
  read.side.what = profile.location.file;
  read.plans.push_back(read_plan(profile, invocation));
  const std::vector<Platform> platforms = profile.db.platforms();
  for (const Platform& platform : platforms) {
    if (platform.id == profile.platform.id) continue;
    if (std::optional<Plan> plan = profile.db.plan(platform.id)) {
      read.plans.push_back(std::move(*plan));
    }
  }
  for (const Plan& plan : read.plans) read.side.add(plan, read.names);
  for (const Platform& platform : platforms) read_campaigns(platform, &read);
  return read;
}

// The pairs of nodes of all platforms.
json::Value cluster_of(const ReadProfile& read) {
  return cluster_json(read.plans, read.names, read.profile->db.platforms());
}

ProfileSide side_of(const ReadProfile& read, const std::string& name) {
  return {.file = name,
          .platform = read.profile->platform.name,
          .started_utc = read.started_utc,
          .plan = read.plan(),
          .trend = read.trend};
}

void add_cluster(const ReadProfile& read, Pages* pages) {
  json::Value cluster = cluster_of(read);
  if (cluster.is_null()) return;
  pages->data.set("cluster", std::move(cluster));
  const cluster::OutlierFindings findings =
      cluster::find_outliers(read.pair_times.since("").times);
  pages->data.set("outliers", outliers_json(findings));
  Report outliers;
  add_outliers(findings, {}, &outliers);
  pages->tables.append(outliers.text);
  add_pair_tables(*pages->data.find("cluster"), &pages->tables);
}

void add_diff(const ReadProfile& before, const ReadProfile& after, const std::string& name,
              Pages* pages) {
  json::Value diff =
      diff_json(side_of(before, name.empty() ? "" : before.side.what), side_of(after, name));
  json::Value launches;
  try {
    const Report compared = diff_sides(before.side, after.side);
    launches = shown_of(compared.payload);
    pages->tables.append(compared.text);
  } catch (const Error& error) {  // no path in common
    pages->tables.line(error.what());
  }
  diff.set("launches", std::move(launches));
  add_ratio_table(diff, &pages->tables);
  const json::Value cluster = cluster_of(before);
  if (const json::Value* pairs = cluster.find("pairs")) diff.set("pairs", without_curves(*pairs));
  pages->data.set("diff", std::move(diff));
}

// `name`: how the page calls the profile; empty: not at all.
Pages pages_of(const ProfileOptions& options, const std::string& name, const OpenProfile* against,
               const Invocation& invocation) {
  Pages pages;
  const OpenProfile profile = open_to_read(options, invocation);
  ProfileOptions same = options;  // without choosing again
  same.db = profile.location.file;
  same.platform = profile.platform.id.hex();
  Invocation silent = invocation;
  silent.quiet = true;  // what it would say has been said
  const ReadProfile read = read_all(profile, invocation);
  const std::vector<SampleSet> sets = profile.db.sample_sets_in_force(profile.platform.id);
  const Report shown = show_platform(profile, read.plan(), read.contents);
  const Report checked = check_platform(profile);
  pages.title = profile.platform.name;
  pages.data.set("made_utc", utc_now())
      .set("tool_version", NMT_VERSION)
      .set("profile", name.empty() ? json::Value() : json::Value(name))
      .set("platform", without(shown.payload, "rails"))  // thousands in a large cluster
      .set("check", checked.payload);
  pages.tables.append(shown.text).append(checked.text);
  add_node(profile, read.plan(), read.names, sets, &pages);
  add_splits(profile, read.plan(), same, silent, &pages);
  add_collectives(profile, read.plan(), sets, &pages);
  add_cluster(read, &pages);
  if (against != nullptr) add_diff(read_all(*against, invocation), read, name, &pages);
  return pages;
}

Report write_report(const ReportOptions& options, const ProfileOptions& profile,
                    const Invocation& invocation) {
  if (std::error_code ignored; !options.force && fs::exists(options.output, ignored)) {
    throw Error(Fault::kFailed,
                fmt::format("{}: the file exists; --force replaces it", options.output));
  }
  std::vector<std::unique_ptr<AnonymousCopy>> copies;
  const auto source_of = [&](const ProfileOptions& given) {
    if (!options.anonymous) return given;
    ProfileOptions copy = given;
    copy.db = copies.emplace_back(std::make_unique<AnonymousCopy>(given, invocation))->file();
    return copy;
  };
  const ProfileOptions source = source_of(profile);
  std::unique_ptr<OpenProfile> against;
  if (!options.against.empty()) {
    against = std::make_unique<OpenProfile>(
        open_to_read(source_of({.db = options.against, .platform = ""}), invocation));
  }
  const std::string name = options.anonymous ? "" : profiledb::locate_for_reading(profile.db).file;
  const Pages pages = pages_of(source, name, against.get(), invocation);
  const std::string page = report_page(pages.title, pages.data, pages.tables);
  write_file(options.output, page, options.force);
  Report report;
  report.text.line(fmt::format("{} written, {}; open it in any browser", options.output,
                               format_bytes(page.size())));
  report.payload.set("file", options.output).set("size_bytes", page.size());
  report.summary = {{"file", options.output}, {"size_bytes", std::to_string(page.size())}};
  return report;
}

}  // namespace

Work declare_report(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<ReportOptions>();
  options
      .text("--output,-o", own->output, "FILE",
            "the page to write\n"
            "One file that needs no network and no other file: it can be mailed, and opens in any "
            "browser.")
      .required();
  options.text(
      "--against", own->against, "FILE",
      "older profile, to show what changed since\n"
      "Fingerprints, durations by size, thresholds that moved and what keeping the old ones "
      "would cost, and all campaigns of both over time.");
  options.flag("--anonymous", own->anonymous,
               "leave out host names, addresses and command lines\n"
               "As in nmad-tune db export --anonymous.");
  options.flag("--force", own->force, "replace the file");
  options.example("nmad-tune report -o report.html --against last-month.db");
  return [own, &profile](const Invocation& invocation) {
    return write_report(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
