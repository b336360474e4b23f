// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune retune: derives the plan again from the samples, of the same or of other campaigns.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/tune_profile.h"
#include "tools/tune/open_profile.h"
#include "tools/tune/retuned.h"

namespace nmt::tools {
namespace {

std::vector<Id> ids_of(const std::vector<Campaign>& campaigns) {
  std::vector<Id> ids;
  for (const Campaign& campaign : campaigns) ids.push_back(campaign.id);
  return ids;
}

// Complete campaigns of the platform; all campaigns if none is complete.
std::vector<Id> all_of(const std::vector<Campaign>& campaigns) {
  std::vector<Campaign> chosen = campaigns;
  std::erase_if(chosen, [](const Campaign& campaign) { return !campaign.complete; });
  return ids_of(chosen.empty() ? campaigns : chosen);
}

void choose_campaigns(OpenProfile& profile, const std::string& wanted) {
  if (wanted.empty()) return;
  if (wanted == "newest") {
    profile.db.pin({});
    return;
  }
  const std::vector<Campaign> campaigns = profile.db.campaigns(profile.platform.id);
  if (wanted == "all") {
    profile.db.pin(all_of(campaigns));
    return;
  }
  std::vector<Id> ids;
  for (const std::string& prefix : split_list(wanted)) {
    ids.push_back(find_by_prefix(prefix, ids_of(campaigns), "--campaigns"));
  }
  profile.db.pin(ids);
}

}  // namespace

Work declare_retune(Options& options, const ProfileOptions& profile) {
  const auto campaigns = std::make_shared<std::string>();
  options.list(
      "--campaigns", *campaigns, "newest|all|ID,...",
      "campaigns to follow from now on (default: those in force)\n"
      "newest: the newest complete campaign of each rail. all, or identifiers: these campaigns "
      "together, because several launches show differences that one launch cannot separate from "
      "the rail's speed. The choice holds until --campaigns newest.");
  options.example("nmad-tune retune --campaigns all");
  return [campaigns, &profile](const Invocation& invocation) {
    OpenProfile opened = open_to_write(profile, invocation);
    choose_campaigns(opened, *campaigns);
    return retuned(opened.db, {opened.platform});
  };
}

}  // namespace nmt::tools
