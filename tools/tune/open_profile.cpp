// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/open_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/effect.h"
#include "core/error.h"
#include "node/node.h"
#include "tools/command/options.h"
#include "tools/command/report_thresholds.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kShortId = 8;

profiledb::ProfileDb::Options options_for(profiledb::ProfileDb::Mode mode,
                                          const Invocation& invocation) {
  return {.mode = mode,
          .notice = [invocation](const std::string& message) { invocation.notice(message); }};
}

// What the fields that this machine has now mean for measurements of the platform.
Effect effect_here(const Platform& platform, const Fields& here) {
  std::vector<Difference> found = differences(platform.fingerprint, here);
  std::erase_if(found, [](const Difference& each) { return !each.now; });
  return effect_of(found);
}

std::string last_measured(const profiledb::ProfileDb& db, const Platform& platform) {
  const std::vector<Campaign> campaigns = db.campaigns(platform.id);
  return campaigns.empty() ? "" : campaigns.front().started_utc;
}

OpenProfile choose_platform(profiledb::Location location, profiledb::ProfileDb db,
                            const std::string& wanted, const Invocation& invocation) {
  const std::vector<Platform> platforms = db.platforms();
  if (platforms.empty()) {
    throw Error(
        Fault::kDatabase,
        fmt::format("{}: the profile is empty; measure this machine with nmad-sample --db {}",
                    location.file, location.file));
  }
  const auto chosen = [&](const Platform& platform, const std::string& why) {
    if (platforms.size() > 1 && wanted.empty()) {
      invocation.notice(
          fmt::format("{} platforms in {}: chose {} {}, {}; --platform ID chooses another",
                      platforms.size(), location.file, short_id(platform.id), platform.name, why));
    }
    return OpenProfile{std::move(location), std::move(db), platform, why};
  };
  if (!wanted.empty()) {
    std::vector<Id> ids;
    for (const Platform& platform : platforms) ids.push_back(platform.id);
    const Id id = find_by_prefix(wanted, ids, "--platform");
    return chosen(*std::ranges::find(platforms, id, &Platform::id), "--platform");
  }
  if (platforms.size() == 1) return chosen(platforms.front(), "the only one");
  const Fields here = node::cheap_fingerprint();
  const auto rank = [&](const Platform& platform) { return effect_here(platform, here); };
  const Effect least = rank(*std::ranges::min_element(platforms, {}, rank));
  const auto nearest = [&](const Platform& platform) {
    return std::pair(rank(platform) == least, last_measured(db, platform));
  };
  const Platform& newest = *std::ranges::max_element(platforms, {}, nearest);
  return chosen(newest, least == Effect::kForeign ? "measured last" : "this machine's");
}

}  // namespace

OpenProfile open_to_read(const ProfileOptions& options, const Invocation& invocation) {
  profiledb::Location location = profiledb::locate_for_reading(options.db);
  profiledb::ProfileDb db(location.file,
                          options_for(profiledb::ProfileDb::Mode::kRead, invocation));
  return choose_platform(std::move(location), std::move(db), options.platform, invocation);
}

OpenProfile open_to_write(const ProfileOptions& options, const Invocation& invocation) {
  return choose_platform(profiledb::locate_for_writing(options.db, false),
                         open_whole_to_write(options, invocation, false), options.platform,
                         invocation);
}

profiledb::ProfileDb open_whole_to_read(const ProfileOptions& options,
                                        const Invocation& invocation) {
  const profiledb::Location location = profiledb::locate_for_reading(options.db);
  return profiledb::ProfileDb(location.file,
                              options_for(profiledb::ProfileDb::Mode::kRead, invocation));
}

profiledb::ProfileDb open_whole_to_write(const ProfileOptions& options,
                                         const Invocation& invocation, bool create) {
  const profiledb::Location location = profiledb::locate_for_writing(options.db, false);
  if (!create) {  // an absent or empty one is refused, not created
    profiledb::ProfileDb(location.file, options_for(profiledb::ProfileDb::Mode::kRead, invocation));
  }
  return profiledb::ProfileDb(location.file,
                              options_for(profiledb::ProfileDb::Mode::kWrite, invocation));
}

profiledb::StoredPlan read_stored_plan(const OpenProfile& profile, const Invocation& invocation) {
  if (std::optional<profiledb::StoredPlan> stored = profile.db.stored_plan(profile.platform.id)) {
    if (!stored->is_current) {
      invocation.notice(
          "the plan is out of date: samples changed since it was derived; run nmad-tune retune");
    }
    return *std::move(stored);
  }
  Plan plan = tuner::derive_plan(profile.platform.id,
                                 profile.db.sample_sets_in_force(profile.platform.id), {});
  if (plan.rails.empty()) {
    throw Error(Fault::kDatabase,
                fmt::format("{}: the profile has no measurement of {}; measure this machine with "
                            "nmad-sample --db {}",
                            profile.location.file, profile.platform.name, profile.location.file));
  }
  invocation.notice("the profile has no plan; derived one now; nmad-tune retune stores it");
  return {.plan = std::move(plan), .is_current = false};
}

Plan read_plan(const OpenProfile& profile, const Invocation& invocation) {
  return read_stored_plan(profile, invocation).plan;
}

Plan plan_in_force(const profiledb::ProfileDb& db, const Platform& platform) {
  if (db.plan_is_current(platform.id)) {
    if (std::optional<Plan> plan = db.plan(platform.id)) return *std::move(plan);
  }
  return tuner::derive_plan(platform.id, db.sample_sets_in_force(platform.id), {});
}

Id find_by_prefix(std::string_view prefix, const std::vector<Id>& known, std::string_view what) {
  std::vector<Id> found;
  std::vector<std::string> names;
  for (const Id& id : known) {
    if (id.hex().starts_with(prefix)) found.push_back(id);
    names.push_back(short_id(id));
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw Error(Fault::kUsage,
                fmt::format("{}: no '{}'{}", what, prefix, suggestion(prefix, names)));
  }
  throw Error(Fault::kUsage, fmt::format("{}: {} identifiers begin with '{}'; write more of it",
                                         what, found.size(), prefix));
}

void require_rails(const Plan& plan, const std::vector<std::string>& rails) {
  std::vector<std::string> known;
  for (const RailPlan& rail : plan.rails) {
    if (std::ranges::find(known, rail.rail) == known.end()) known.push_back(rail.rail);
  }
  for (const std::string& rail : rails) {
    if (std::ranges::find(known, rail) != known.end()) continue;
    throw Error(Fault::kUsage,
                fmt::format("no rail '{}' in this profile{}", rail, suggestion(rail, known)));
  }
}

NamedPlan plan_of_rail(const OpenProfile& profile, const std::string& rail,
                       const std::string& regime, const PairOptions& pairs,
                       const Invocation& invocation) {
  const Plan plan = read_plan(profile, invocation);
  require_rails(plan, {rail});
  const std::vector<RailPlan> rails = rail_plans(plan, regime, {rail}, pairs.ranks);
  if (rails.empty())
    throw Error(Fault::kUsage, fmt::format("{} was not measured with {} buffers; use --regime {}",
                                           rail, regime, regime == "hot" ? "cold" : "hot"));
  const std::vector<NamedPlan> plans = named_plans(rails, profile.db.path_names(), pairs);
  NMT_CHECK(!plans.empty());
  if (plans.size() > 1) {
    invocation.notice(
        fmt::format("{} kinds of paths fit: chose {}; --node, --peer or --path choose another",
                    plans.size(), to_string(plans.front().name)));
  }
  return plans.front();
}

std::string short_id(const Id& id) { return id.hex().substr(0, kShortId); }

}  // namespace nmt::tools
