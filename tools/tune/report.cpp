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

// Those of `rails` that lead to the same peer as most do; a message can be split over them.
std::vector<RailPlan> rails_together(const std::vector<RailPlan>& rails,
                                     const std::map<Id, PathName>& names) {
  std::map<std::pair<std::string, std::string>, std::vector<RailPlan>> groups;
  std::vector<RailPlan> most;
  for (const RailPlan& rail : rails) {
    const auto name = names.find(rail.path);
    const bool transfers = std::ranges::any_of(rail.curves, [](const PlanCurve& curve) {
      return curve.benchmark == benchmark::kTransfer;
    });
    if (rail.regime != "hot" || !transfers || name == names.end()) continue;
    std::vector<RailPlan>& group = groups[{name->second.node, name->second.peer}];
    if (std::ranges::find(group, rail.rail, &RailPlan::rail) == group.end()) group.push_back(rail);
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
  profiledb::StoredPlan plan;
  std::vector<Plan> other_plans;  // of the other platforms
  std::map<Id, PathName> names;
  std::map<Id, CampaignContent> contents;
  PairTimesByCampaign pair_times;
  std::vector<SampleSet> in_force;
  DiffSide side;                  // empty unless profiles are compared
  std::vector<TrendPoint> trend;  // the same
  std::string started_utc;        // of the newest campaign in force
};

void add_campaign(const Platform& platform, profiledb::CampaignSamples samples, bool to_compare,
                  std::size_t newer, ReadProfile* read) {
  const Campaign& campaign = samples.campaign;
  CampaignContent& content = read->contents[campaign.id];
  content.damage = samples.damage;
  const bool chosen = platform.id == read->profile->platform.id;
  const std::vector<Id>& planned = read->plan.plan.campaigns;
  if (std::ranges::find(planned, campaign.id) != planned.end()) {
    if (!samples.damage.empty()) throw Error(Fault::kDatabase, samples.damage);
    read->started_utc = std::max(read->started_utc, campaign.started_utc);
  }
  for (const SampleSet& set : samples.sets) {
    content.add(set);
    const auto name = read->names.find(set.path.id);
    if (name != read->names.end()) read->pair_times.add(set, name->second);
    if (to_compare) read->side.add(platform, set, read->names);
  }
  if (!chosen) return;
  if (to_compare && newer < kTrendCampaignsMax) {
    std::ranges::move(trend_of(campaign, samples.sets), std::back_inserter(read->trend));
  }
  samples.keep_in_force();
  std::ranges::move(samples.sets, std::back_inserter(read->in_force));
}

// `to_compare`: also what only a comparison of two profiles shows.
ReadProfile read_all(const OpenProfile& profile, bool to_compare, const Invocation& invocation) {
  ReadProfile read;
  read.profile = &profile;
  read.names = profile.db.path_names();
  read.plan = read_stored_plan(profile, invocation);
  const std::vector<Platform> platforms = profile.db.platforms();
  for (const Platform& platform : platforms) {
    if (platform.id == profile.platform.id) continue;
    if (std::optional<Plan> plan = profile.db.plan(platform.id)) {
      read.other_plans.push_back(std::move(*plan));
    }
  }
  if (to_compare) {
    read.side.what = profile.location.file;
    read.side.add(read.plan.plan, read.names);
    for (const Plan& plan : read.other_plans) read.side.add(plan, read.names);
  }
  for (const Platform& platform : platforms) {
    std::size_t newer = 0;
    profile.db.read_samples(platform.id, [&](profiledb::CampaignSamples samples) {
      add_campaign(platform, std::move(samples), to_compare, newer++, &read);
    });
  }
  return read;
}

void add_node(const ReadProfile& read, const std::vector<RailPlan>& rails, Pages* pages) {
  const Plan& plan = read.plan.plan;
  const std::vector<NamedPlan> named =
      named_plans(rails, read.names, {.paths = {}, .all = true, .ranks = {}});
  const OpenProfile& profile = *read.profile;
  pages->data.set("rails", rails_json(named))
      .set("origins", origins_json(read.in_force))
      .set("foreign", foreign_json(rails))
      .set("held_out", held_out_json(rails, plan, read.in_force))
      .set("exports", exports_json(profile.db, profile.platform.id, plan, profile.location.file));
  add_thresholds(named, &pages->tables);
  add_curve_tables(rails, &pages->tables);
  add_foreign_tables(*pages->data.find("foreign"), &pages->tables);
  if (plan.verification) {
    pages->data.set("verification", to_json(*plan.verification));
    add_verification(*plan.verification, &pages->tables);
  }
}

void add_splits(const ReadProfile& read, const std::vector<RailPlan>& rails, Pages* pages) {
  json::Value splits = json::Value::array();
  const std::vector<RailPlan> together = rails_together(rails, read.names);
  if (together.size() > 1) {
    Plan between;  // without the thousands of other paths of a large cluster
    between.platform = read.plan.plan.platform;
    std::vector<std::string> names;
    for (const RailPlan& rail : together) names.push_back(rail.rail);
    for (const RailPlan& rail : read.plan.plan.rails) {
      if (std::ranges::find(together, rail.path, &RailPlan::path) != together.end()) {
        between.rails.push_back(rail);
      }
    }
    splits = splits_json(Advice(runtime::open_plan(between)), names);
  }
  pages->data.set("splits", std::move(splits));
}

void add_collectives(const ReadProfile& read, Pages* pages) {
  const Plan& plan = read.plan.plan;
  const std::vector<SampleSet>& sets = read.in_force;
  if (!plan.segments.empty()) {
    const Report rules = show_collectives(*read.profile, plan, sets);
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

// The pairs of nodes of all platforms.
json::Value cluster_of(const ReadProfile& read) {
  std::vector<const Plan*> plans = {&read.plan.plan};
  for (const Plan& plan : read.other_plans) plans.push_back(&plan);
  return cluster_json(plans, read.names, read.profile->db.platforms());
}

ProfileSide side_of(const ReadProfile& read, const std::string& name) {
  return {.file = name,
          .platform = read.profile->platform.name,
          .started_utc = read.started_utc,
          .plan = read.plan.plan,
          .names = read.names,
          .trend = read.trend};
}

void add_cluster(const ReadProfile& read, Pages* pages) {
  json::Value cluster = cluster_of(read);
  if (cluster.is_null()) return;
  pages->data.set("cluster", std::move(cluster));
  const cluster::OutlierFindings findings = cluster::find_outliers(read.pair_times.since("").times);
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
  const ReadProfile read = read_all(profile, against != nullptr, invocation);
  const Report shown = show_platform(profile, read.plan, read.contents);
  const Report checked = check_platform(profile);
  pages.title = profile.platform.name;
  pages.data.set("made_utc", utc_now())
      .set("tool_version", NMT_VERSION)
      .set("profile", name.empty() ? json::Value() : json::Value(name))
      .set("platform", without(shown.payload, "rails"))  // thousands in a large cluster
      .set("check", checked.payload);
  pages.tables.append(shown.text).append(checked.text);
  const std::vector<RailPlan> rails = shown_rails(read.plan.plan, read.names);
  add_node(read, rails, &pages);
  add_splits(read, rails, &pages);
  add_collectives(read, &pages);
  add_cluster(read, &pages);
  if (against != nullptr) add_diff(read_all(*against, true, invocation), read, name, &pages);
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
