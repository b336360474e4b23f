// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/diff_sides.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/options.h"
#include "tools/command/utc.h"
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

using Selects = std::function<bool(const Campaign&)>;

// The campaigns of all platforms: after an upgrade, a machine is another platform.
DiffSide side_of(const profiledb::ProfileDb& db, std::string what, const Selects& selects) {
  DiffSide side;
  side.what = std::move(what);
  const std::map<Id, PathName> names = db.path_names();
  std::map<std::string, std::string> dated;  // when each fingerprint was taken
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.campaigns(platform.id)) {
      if (!selects(campaign)) continue;
      for (SampleSet& set : db.sample_sets(campaign.id)) {
        const auto name = names.find(set.path.id);
        if (name == names.end() || !set.others.empty() || set.path.from.driver == kCores) continue;
        const auto note = [&](const std::string& key, const Fields& fields) {
          std::string& utc = dated[key];
          if (campaign.started_utc < utc) return;
          utc = campaign.started_utc;
          side.fingerprints[key] = fields;
        };
        note(name->second.node, platform.fingerprint);
        note(name->second.node + " " + name->second.rail, set.path.from.fingerprint);
        side.sets.push_back({name->second, std::move(set)});
      }
    }
  }
  side.derive_plans();
  return side;
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
  return [chosen](const Campaign& campaign) { return chosen.contains(campaign.id); };
}

// Files are opened as profiles; everything else is looked up in the profile of --db.
class Sides {
 public:
  Sides(const ProfileOptions& options, const Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  DiffSide named(const std::string& text) {
    if (is_file(text)) {
      const profiledb::ProfileDb db = open_whole_to_read({.db = text, .platform = ""}, invocation_);
      return side_of(db, text, [](const Campaign&) { return true; });
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
  std::string newest;
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.pinned(platform.id)) {
      pinned.insert(campaign.id);
      newest = std::max(newest, campaign.started_utc);
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
            return !pinned.contains(each.id) && each.started_utc > newest;
          })};
}

}  // namespace

void DiffSide::derive_plans() {
  std::vector<SampleSet> all;
  std::map<Id, PathName> names;
  for (const NamedSet& each : sets) {
    all.push_back(each.set);
    names[each.set.path.id] = each.name;
  }
  plans_.clear();
  for (RailPlan& plan : tuner::derive_plan(Id(), all, {}).rails) {
    const auto name = names.find(plan.path);
    if (name == names.end() || !plan.busy_rails.empty()) continue;
    const std::string key =
        to_string(name->second) + (plan.regime == "hot" ? "" : ", " + plan.regime);
    plans_.emplace(key, std::move(plan));
  }
}

std::pair<DiffSide, DiffSide> diff_sides(const DiffChoice& choice, const ProfileOptions& profile,
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
  const profiledb::ProfileDb db = sides.own();
  return {std::move(before), side_of(db, db.file(), [](const Campaign&) { return true; })};
}

}  // namespace nmt::tools
