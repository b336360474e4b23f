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
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

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

// The platform's entry in `nmad-tune show --json`.
json::Value platform_entry(const Report& shown, const Platform& platform) {
  const json::Value* platforms = shown.payload.find("platforms");
  if (platforms == nullptr) return {};
  for (const json::Value& each : *platforms->get_if<json::Value::Array>()) {
    const json::Value* id = each.find("id");
    if (id != nullptr && *id == json::Value(platform.id.hex())) return each;
  }
  return {};
}

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

void add_node(const OpenProfile& profile, const Plan& plan, const std::vector<SampleSet>& sets,
              const ProfileOptions& options, const Invocation& invocation, Pages* pages) {
  const std::vector<RailPlan> rails = shown_rails(plan);
  const std::vector<NamedPlan> named = named_plans(
      rails, profile.db.path_names(), {.node = "", .peer = "", .path = "", .all = true});
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
  json::Value splits = json::Value::array();
  const std::vector<std::string> together = rails_together(profile, rails);
  if (together.size() > 1) splits = splits_json(open_advice(options, invocation), together);
  pages->data.set("splits", std::move(splits));
}

void add_collectives(const Plan& plan, const std::vector<SampleSet>& sets,
                     const ProfileOptions& options, const Invocation& invocation, Pages* pages) {
  if (!plan.segments.empty()) {
    const Report rules = show_collectives(options, invocation);
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

// The pairs of nodes of all platforms of a profile.
json::Value cluster_of(const profiledb::ProfileDb& db) {
  std::vector<Plan> plans;
  const std::vector<Platform> platforms = db.platforms();
  for (const Platform& platform : platforms) {
    if (std::optional<Plan> plan = db.plan(platform.id)) plans.push_back(std::move(*plan));
  }
  return cluster_json(plans, db.path_names(), platforms);
}

json::Value without_curves(json::Value pairs) {
  for (json::Value& pair : *pairs.get_if<json::Value::Array>()) {
    std::erase_if(*pair.get_if<json::Value::Object>(),
                  [](const json::Value::Member& member) { return member.first == "curve"; });
  }
  return pairs;
}

// What the page shows of `nmad-tune diff`; null where it cannot compare the two.
json::Value launches_compared(const std::string& before, const ProfileOptions& after,
                              const Invocation& invocation) {
  try {
    const json::Value diff = diff_profiles(before, after, invocation).payload;
    return json::Value::object()
        .set("sentence", *diff.find("sentence"))
        .set("launch_spreads", *diff.find("launch_spreads"));
  } catch (const Error&) {  // no path in common
    return {};
  }
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
  const Plan plan = read_plan(profile, invocation);
  const std::vector<SampleSet> sets = profile.db.sample_sets_in_force(profile.platform.id);
  const Report shown = show_profile({}, same, silent);
  const Report checked = check_platform(same, silent);
  pages.title = profile.platform.name;
  pages.data.set("made_utc", utc_now())
      .set("tool_version", NMT_VERSION)
      .set("profile", name.empty() ? json::Value() : json::Value(name))
      .set("platform", platform_entry(shown, profile.platform))
      .set("check", checked.payload);
  pages.tables.append(shown.text).append(checked.text);
  add_node(profile, plan, sets, same, silent, &pages);
  add_collectives(plan, sets, same, silent, &pages);
  if (json::Value cluster = cluster_of(profile.db); !cluster.is_null()) {
    pages.data.set("cluster", std::move(cluster));
    const cluster::OutlierFindings findings =
        cluster::find_outliers(pair_times(profile.db, "").times);
    pages.data.set("outliers", outliers_json(findings));
    Report outliers;
    add_outliers(findings, {}, &outliers);
    pages.tables.append(outliers.text);
    add_pair_tables(*pages.data.find("cluster"), &pages.tables);
  }
  if (against != nullptr) {
    const ProfileSide before{name.empty() ? "" : against->location.file, &against->db,
                             against->platform, read_plan(*against, invocation)};
    json::Value diff = diff_json(before, {name, &profile.db, profile.platform, plan});
    diff.set("launches", launches_compared(against->location.file, same, silent));
    const json::Value cluster = cluster_of(against->db);
    add_diff_tables(diff, &pages.tables);
    if (const json::Value* pairs = cluster.find("pairs")) diff.set("pairs", without_curves(*pairs));
    pages.data.set("diff", std::move(diff));
  }
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
