// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/diff_sides.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/statistics.h"
#include "core/units.h"
#include "tools/command/options.h"
#include "tools/command/utc.h"
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

using Selects = std::function<bool(const Campaign&)>;

// The chosen campaigns of all platforms: after an upgrade, a machine is another platform. There is
// one at least, or `what` names a side that is empty: say when campaigns were, by their own clocks.
DiffSide side_of(const profiledb::ProfileDb& db, std::string what, const Selects& selects) {
  DiffSide side;
  side.what = std::move(what);
  const std::map<Id, PathName> names = db.path_names();
  std::vector<SampleSet> chosen;
  bool any = false;
  std::set<std::string> dates;
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.campaigns(platform.id)) {
      dates.insert(campaign.started_utc);
      if (!selects(campaign)) continue;
      any = true;
      for (SampleSet& set : db.sample_sets(campaign.id)) {
        side.add(platform, set, names);
        chosen.push_back(std::move(set));
      }
    }
  }
  if (!any) {
    throw Error(Fault::kDatabase,
                fmt::format("{} has no {}; {}nmad-tune show lists campaigns", db.file(), side.what,
                            dates.empty() ? ""
                                          : fmt::format("they are from {} to {}; ", *dates.begin(),
                                                        *dates.rbegin())));
  }
  side.add(tuner::derive_plan(Id(), chosen, {}), names);
  return side;
}

DiffSide side_of(const profiledb::ProfileDb& db) {
  DiffSide side;
  side.what = db.file();
  const std::map<Id, PathName> names = db.path_names();
  std::map<std::string, Plan, std::greater<>> plans;  // by the newest campaign of the platform
  for (const Platform& platform : db.platforms()) {
    const std::vector<Campaign> campaigns = db.campaigns(platform.id);
    for (const Campaign& campaign : campaigns) {
      for (const SampleSet& set : db.sample_sets(campaign.id)) side.add(platform, set, names);
    }
    if (campaigns.empty()) continue;
    plans.emplace(campaigns.front().started_utc + platform.id.hex(), plan_in_force(db, platform));
  }
  for (const auto& [newest, plan] : plans) side.add(plan, names);
  return side;
}

// The same whichever end measured: a campaign's order of hosts is chance.
PathName undirected(PathName name) {
  if (!name.peer.empty() && name.peer < name.node) {
    std::swap(name.node, name.peer);
    std::swap(name.rail, name.peer_rail);
    std::swap(name.platform, name.peer_platform);
  }
  return name;
}

bool is_file(const std::string& text) { return ::access(text.c_str(), F_OK) == 0; }

// Campaigns by the beginnings of their identifiers; nullopt if `text` cannot be that.
std::optional<Selects> by_identifiers(const profiledb::ProfileDb& db, const std::string& text) {
  std::vector<Id> known;
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.campaigns(platform.id)) known.push_back(campaign.id);
  }
  std::set<Id> chosen;
  for (const std::string& word : split_list(text)) {
    if (word.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
    chosen.insert(find_by_prefix(word, known, "campaign"));
  }
  if (chosen.empty()) return std::nullopt;
  return [chosen](const Campaign& campaign) { return chosen.contains(campaign.id); };
}

// Files are opened as profiles; everything else is looked up in the profile of --db.
class Sides {
 public:
  Sides(const ProfileOptions& options, const Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  DiffSide named(const std::string& text) {
    if (is_file(text)) {
      return side_of(open_whole_to_read({.db = text, .platform = ""}, invocation_));
    }
    if (text.find_first_not_of("0123456789abcdef,") == std::string::npos) {
      const profiledb::ProfileDb db = own();
      if (const auto selects = by_identifiers(db, text)) {
        return side_of(db, "campaigns " + text, *selects);
      }
    }
    throw Error(Fault::kUsage, fmt::format("'{}' is neither a profile nor the beginning of a "
                                           "campaign's identifier; nmad-tune show lists campaigns",
                                           text));
  }

  profiledb::ProfileDb own() const { return open_whole_to_read(options_, invocation_); }

 private:
  const ProfileOptions& options_;
  const Invocation& invocation_;
};

// The pinned campaigns, and the newer ones.
std::pair<DiffSide, DiffSide> since_pinned(const profiledb::ProfileDb& db) {
  std::set<Id> pinned;
  double newest_s = 0;
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.pinned(platform.id)) {
      pinned.insert(campaign.id);
      newest_s = std::max(newest_s, started_s(campaign));
    }
  }
  if (pinned.empty()) {
    throw Error(Fault::kUsage, fmt::format("--pinned: no campaign of {} is pinned; nmad-tune db "
                                           "pin ID makes a baseline",
                                           db.file()));
  }
  return {side_of(db, "the pinned campaigns",
                  [&](const Campaign& each) { return pinned.contains(each.id); }),
          side_of(db, "campaigns since the pinned ones", [&](const Campaign& each) {
            return !pinned.contains(each.id) && started_s(each) > newest_s;
          })};
}

}  // namespace

void DiffSide::add(const Platform& platform, const SampleSet& set,
                   const std::map<Id, PathName>& names) {
  const auto found = names.find(set.path.id);
  if (found == names.end() || !set.others.empty() || set.path.from.driver == kCores) return;
  const PathName& name = found->second;
  const auto note = [&](const std::string& rail, const Fields& fields) {
    std::string& utc = dated_[{name.node, rail}];
    if (set.campaign.started_utc < utc) return;
    utc = set.campaign.started_utc;
    fingerprints[{name.node, rail}] = fields;
  };
  note("", platform.fingerprint);
  note(name.rail, set.path.from.fingerprint);
  if (!set.campaign.remark.empty()) remarks.insert(set.campaign.remark);
  const PathName between = undirected(name);
  const std::string path = to_string(between);
  for (const Sample& sample : set.samples) {
    const Condition& c = sample.condition;
    const std::vector<Repetition> repetitions = trusted(sample.repetitions);
    if (sample.held_out || !c.is_alone() || repetitions.empty()) continue;
    if (c.benchmark == benchmark::kOffload || c.benchmark == benchmark::kCollective ||
        c.benchmark == benchmark::kConnections || c.benchmark == benchmark::kExchange) {
      continue;  // not of one message
    }
    std::vector<double> durations_ns;
    for (const Repetition& repetition : repetitions) durations_ns.push_back(repetition.each_ns());
    medians.push_back(
        {{path, between.rail, c.benchmark, c.method, c.variant, c.regime, sample.size_bytes},
         {set.session.started_utc, set.session.id},
         median(durations_ns)});
  }
}

void DiffSide::add(const Plan& plan, const std::map<Id, PathName>& names) {
  for (const RailPlan& rail : plan.rails) {
    const auto name = names.find(rail.path);
    if (name == names.end() || !rail.is_alone()) continue;
    std::string key = to_string(undirected(name->second));
    if (!rail.placement.empty()) key += ", " + rail.placement;
    if (rail.regime != "hot") key += ", " + rail.regime;
    plans.emplace(key, rail);
  }
}

std::pair<DiffSide, DiffSide> choose_sides(const DiffChoice& choice, const ProfileOptions& profile,
                                           const Invocation& invocation) {
  Sides sides(profile, invocation);
  const std::size_t ways =
      (choice.sides.empty() ? 0 : 1) + (choice.since.empty() ? 0 : 1) + (choice.pinned ? 1 : 0);
  if (ways != 1 || choice.sides.size() > 2) {
    throw Error(Fault::kUsage,
                "diff compares OLD with NEW (two profiles, or campaigns of one), or campaigns of "
                "one profile with --since DATE or --pinned; for example: nmad-tune diff old.db "
                "new.db");
  }
  if (!choice.since.empty()) {
    const double since_s = seconds_since_1970(choice.since);
    const profiledb::ProfileDb db = sides.own();
    return {side_of(db, "campaigns before " + choice.since,
                    [&](const Campaign& each) { return started_s(each) < since_s; }),
            side_of(db, "campaigns since " + choice.since,
                    [&](const Campaign& each) { return started_s(each) >= since_s; })};
  }
  if (choice.pinned) return since_pinned(sides.own());
  DiffSide before = sides.named(choice.sides.front());
  if (choice.sides.size() == 2) return {std::move(before), sides.named(choice.sides.back())};
  return {std::move(before), side_of(sides.own())};
}

}  // namespace nmt::tools
