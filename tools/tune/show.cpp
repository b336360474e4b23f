// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune show: what a profile contains, its quality and age; with --origin, which file it is and
// why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "core/error.h"
#include "core/plan_json.h"
#include "core/units.h"
#include "tools/command/path_choice.h"
#include "tools/command/report_concurrent_bandwidth.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/report_offloads.h"
#include "tools/tune/report_registrations.h"

namespace nmt::tools {
namespace {

struct ShowOptions {
  PathChoice paths;
  bool origin = false;
  bool all = false;
};

std::map<Id, CampaignContent> contents_of(const profiledb::ProfileDb& db,
                                          const Platform& platform) {
  std::map<Id, CampaignContent> contents;
  for (const Campaign& campaign : db.campaigns(platform.id)) {
    CampaignContent& content = contents[campaign.id];
    try {
      for (const SampleSet& set : db.sample_sets(campaign.id)) content.add(set);
    } catch (const Error& error) {
      content.damage = error.what();
    }
  }
  return contents;
}

// Seconds since a "2026-11-21T10:30:00Z".
double age_s(const std::string& utc) {
  std::tm fields = {};
  if (::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &fields) == nullptr) return 0;
  return std::difftime(std::time(nullptr), ::timegm(&fields));
}

std::string age_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", std::max(0.0, seconds));
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.0f} h", seconds / kHour);
  return fmt::format("{:.0f} days", seconds / kDay);
}

std::string state_text(const Campaign& campaign, const CampaignContent& content) {
  if (!content.damage.empty()) return "damaged: " + content.damage;
  if (!campaign.complete) {
    return "incomplete" + (campaign.remark.empty() ? "" : ": " + campaign.remark);
  }
  return campaign.remark.empty() ? "complete" : "complete, " + campaign.remark;
}

class PlatformView {
 public:
  // `plan`: null if there is none.
  PlatformView(const profiledb::ProfileDb& db, const Platform& platform,
               const profiledb::StoredPlan* plan, const std::map<Id, CampaignContent>& contents,
               const ShowOptions& wanted)
      : db_(db), platform_(platform), plan_(plan), contents_(contents), wanted_(wanted) {}

  void add_to(Report* report, json::Value* platforms) {
    report->text.heading(fmt::format("{} (platform {})", platform_.name, short_id(platform_.id)));
    json::Value rails = add_rails(&report->text);
    json::Value ranks = add_ranks(&report->text);
    json::Value campaigns = add_campaigns(report);
    const std::vector<tuner::ConcurrentBandwidth> together =
        plan_ ? tuner::concurrent_bandwidths(plan_->plan)
              : std::vector<tuner::ConcurrentBandwidth>{};
    add_concurrent_bandwidths(together, &report->text);
    const std::vector<OffloadCost> offloads =
        plan_ ? plan_->plan.offloads : std::vector<OffloadCost>{};
    add_offloads(offloads, &report->text);
    const std::vector<tuner::Registration> registered =
        plan_ ? tuner::registrations(plan_->plan) : std::vector<tuner::Registration>{};
    add_registrations(registered, &report->text);
    platforms->push_back(platform_json(platform_)
                             .set("fingerprint", to_json(platform_.fingerprint))
                             .set("plan", plan_json())
                             .set("rails", std::move(rails))
                             .set("ranks_per_nic", std::move(ranks))
                             .set("campaigns", std::move(campaigns))
                             .set("together", concurrent_bandwidths_json(together))
                             .set("offloads", offloads_json(offloads))
                             .set("registrations", registrations_json(registered)));
  }

 private:
  bool in_force(const Campaign& campaign) const {
    if (plan_ == nullptr) return false;
    const std::vector<Id>& campaigns = plan_->plan.campaigns;
    return std::ranges::find(campaigns, campaign.id) != campaigns.end();
  }

  json::Value plan_json() const {
    if (plan_ == nullptr) return {};
    return json::Value::object()
        .set("current", plan_->is_current)
        .set("verified", plan_->plan.verification.has_value());
  }

  json::Value add_rails(Text* text) const {
    Table table({"path", "measured as"});
    json::Value list = json::Value::array();
    // Paths with the same ends' descriptions take one line, unless each is wanted.
    struct Line {
      std::string key, name, described;
      std::size_t paths = 0;
    };
    std::vector<Line> lines;
    const std::map<Id, PathName> names = db_.path_names();
    const std::set<Id> chosen = chosen_paths(names, wanted_.paths);
    for (const Path& path : db_.paths(platform_.id)) {
      if (path.from.driver == kCores || !chosen.contains(path.id)) continue;  // no rail
      const PathName& name = names.at(path.id);
      std::vector<std::string> words;
      for (const auto& [field, value] : path.from.fingerprint) {
        words.push_back(field + ' ' + value);
      }
      const std::string described = fmt::format("{}", fmt::join(words, ", "));
      const bool far = !name.peer.empty();
      const std::string key = wanted_.all ? path.id.hex()
                                          : fmt::format("{}\n{}\n{}\n{}", path.from.full_name(),
                                                        path.to.full_name(), far, described);
      const auto known = std::ranges::find(lines, key, &Line::key);
      Line& line = known != lines.end() ? *known : lines.emplace_back(Line{key, to_string(name)});
      line.described = described;
      ++line.paths;
      list.push_back(json::Value::object()
                         .set("path", path.id.hex())
                         .set("node", name.node)
                         .set("rail", path.from.full_name())
                         .set("peer", far ? json::Value(name.peer) : json::Value())
                         .set("to", path.to.full_name())
                         .set("fingerprint", to_json(path.from.fingerprint)));
    }
    for (const Line& line : lines) {
      table.add(
          {line.paths == 1 ? line.name : fmt::format("{} and {} more", line.name, line.paths - 1),
           line.described});
    }
    text->table(std::move(table));
    text->line("");
    return list;
  }

  // How many ranks of a node used a NIC at once.
  json::Value add_ranks(Text* text) const {
    std::set<std::int64_t> numbers;
    if (plan_ != nullptr) {
      for (const RailPlan& rail : plan_->plan.rails) numbers.insert(rail.ranks_per_nic);
    }
    json::Value list = json::Value::array();
    for (const std::int64_t number : numbers) list.push_back(number);
    if (numbers.size() > 1) {
      text->line(
          fmt::format("Ranks per NIC that were measured: {}; nmad-tune thresholds, decide, "
                      "split ... --ranks-per-nic N",
                      fmt::join(numbers, ", ")));
      text->line("");
    }
    return list;
  }

  json::Value add_campaigns(Report* report) const {
    Table table(
        {"campaign", "started", ">age", ">cells", ">quality", "in force", "rails", "state"});
    json::Value list = json::Value::array();
    for (const Campaign& campaign : db_.campaigns(platform_.id)) {
      const CampaignContent& content = contents_.at(campaign.id);
      const double age = age_s(campaign.started_utc);
      const std::string rails = fmt::format("{}", fmt::join(content.rails, ","));
      const std::string state = state_text(campaign, content);
      table.add({short_id(campaign.id), campaign.started_utc, age_text(age),
                 std::to_string(content.cells), format_fraction(campaign.quality),
                 in_force(campaign) ? "yes" : "no", rails, state});
      report->records.rows.push_back(
          {platform_.id.hex(), campaign.id.hex(), campaign.started_utc, age, rails, content.cells,
           campaign.quality, campaign.complete, in_force(campaign), state, campaign.command_line});
      json::Value names = json::Value::array();
      for (const std::string& rail : content.rails) names.push_back(rail);
      list.push_back(json::Value::object()
                         .set("id", campaign.id.hex())
                         .set("started_utc", campaign.started_utc)
                         .set("finished_utc", campaign.finished_utc)
                         .set("age_s", age)
                         .set("complete", campaign.complete)
                         .set("in_force", in_force(campaign))
                         .set("quality", campaign.quality)
                         .set("cells", content.cells)
                         .set("rails", std::move(names))
                         .set("state", state)
                         .set("tool_version", campaign.tool_version)
                         .set("command_line", campaign.command_line)
                         .set("options", to_json(campaign.options)));
    }
    report->text.table(std::move(table));
    return list;
  }

  const profiledb::ProfileDb& db_;
  const Platform& platform_;
  const profiledb::StoredPlan* plan_;
  const std::map<Id, CampaignContent>& contents_;
  const ShowOptions& wanted_;
};

Report show_profile(const ShowOptions& wanted, const ProfileOptions& options,
                    const Invocation& invocation) {
  Report report;
  const profiledb::Location location = profiledb::locate_for_reading(options.db);
  report.payload.set(
      "origin", json::Value::object().set("file", location.file).set("reason", location.reason));
  report.text.line(wanted.origin ? fmt::format("Profile: {} ({})", location.file, location.reason)
                                 : fmt::format("Profile: {}", location.file));
  report.records.header = {"platform", "campaign", "started_utc", "age_s", "rails",       "cells",
                           "quality",  "complete", "in_force",    "state", "command_line"};
  try {
    const OpenProfile profile = open_to_read(options, invocation);
    json::Value platforms = json::Value::array();
    for (const Platform& platform : profile.db.platforms()) {
      if (!options.platform.empty() && platform.id != profile.platform.id) continue;
      const std::optional<profiledb::StoredPlan> plan = profile.db.stored_plan(platform.id);
      PlatformView(profile.db, platform, plan ? &*plan : nullptr, contents_of(profile.db, platform),
                   wanted)
          .add_to(&report, &platforms);
    }
    report.payload.set("platforms", std::move(platforms));
    report.summary = {{"platform", profile.platform.id.hex()},
                      {"campaigns", std::to_string(report.records.rows.size())},
                      {"profile", location.file}};
  } catch (const Error& error) {  // the location is an answer even without a profile
    report.problem = Problem(error.fault(), error.what());
  }
  return report;
}

}  // namespace

void CampaignContent::add(const SampleSet& set) {
  if (set.path.from.driver != kCores) rails.insert(set.path.from.full_name());
  cells += set.samples.size();
}

Report show_platform(const OpenProfile& profile, const profiledb::StoredPlan& plan,
                     const std::map<Id, CampaignContent>& campaigns) {
  Report report;
  json::Value platforms = json::Value::array();
  PlatformView(profile.db, profile.platform, &plan, campaigns, {}).add_to(&report, &platforms);
  report.payload = (*platforms.get_if<json::Value::Array>())[0];
  return report;
}

Work declare_show(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<ShowOptions>();
  options.flag("--origin", own->origin, "also print why this file was chosen");
  declare(options, own->paths);
  options.flag("--all", own->all, "print every path, also paths with the same description");
  options.example("nmad-tune show --origin");
  return [own, &profile](const Invocation& invocation) {
    return show_profile(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
