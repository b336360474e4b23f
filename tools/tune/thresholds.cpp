// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune thresholds: the sizes at which the choice changes, per rail.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/units.h"
#include "tools/command/help.h"
#include "tools/command/report_thresholds.h"
#include "tools/command/report_verification.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

struct ThresholdsOptions {
  PairOptions pairs;
  std::string rails;
  std::string regime = "hot";
};

json::Value rails_json(const std::vector<NamedPlan>& rails) {
  json::Value out = json::Value::array();
  for (const NamedPlan& named : rails) {
    const RailPlan& rail = named.plan;
    json::Value object = json::Value::object();
    object.set("rail", rail.rail);
    add_name_members(named, &object);
    object.set("regime", rail.regime)
        .set("placement", rail.placement)
        .set("max_unexpected_bytes", rail.max_unexpected_bytes)
        .set("thresholds", thresholds_json(rail));
    out.push_back(std::move(object));
  }
  return out;
}

// The budget of a campaign that was to verify, and counts; nothing if there is none.
std::optional<double> budget_of_verification_ns(const OpenProfile& profile, const Plan& plan) {
  for (const Campaign& campaign : profile.db.campaigns(profile.platform.id)) {
    const auto option = [&](const std::string& name) {
      const auto found = campaign.options.find(name);
      return found == campaign.options.end() ? std::string() : found->second;
    };
    const bool counts = std::ranges::find(plan.campaigns, campaign.id) != plan.campaigns.end();
    if (counts && option("verify") == "yes")
      return std::strtod(option("budget_ns").c_str(), nullptr);
  }
  return std::nullopt;
}

std::string not_verified(const OpenProfile& profile, const Plan& plan) {
  const std::optional<double> budget_ns = budget_of_verification_ns(profile, plan);
  return sentence(budget_ns ? explain_unverified(*budget_ns)
                            : "not verified: nmad-sample --verify measures how good these are");
}

Report thresholds(const ThresholdsOptions& options, const ProfileOptions& profile_options,
                  const Invocation& invocation) {
  const OpenProfile profile = open_to_read(profile_options, invocation);
  const Plan plan = read_plan(profile, invocation);
  const std::vector<std::string> named = split_list(options.rails);
  require_rails(plan, named);
  const std::vector<NamedPlan> rails =
      named_plans(rail_plans(plan, options.regime, named, options.pairs.ranks),
                  profile.db.path_names(), options.pairs);

  Report report;
  report.payload.set("platform", platform_json(profile.platform));
  report.payload.set("rails", rails_json(rails));
  report.payload.set("verified", plan.verification.has_value());
  report.text.line(fmt::format("Platform: {}", profile.platform.name));
  add_thresholds(rails, &report.text, options.pairs.ranks);
  if (!plan.verification) {
    report.text.line("");
    report.text.line(not_verified(profile, plan));
  }
  add_thresholds(rails, &report.records);
  report.summary = {{"platform", profile.platform.id.hex()},
                    {"regime", options.regime},
                    {"rails", std::to_string(rails.size())},
                    {"verified", plan.verification ? "yes" : "no"},
                    {"profile", profile.location.file}};
  return report;
}

}  // namespace

Work declare_thresholds(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<ThresholdsOptions>();
  options.list("--rail", own->rails, "RAIL,...", "only these rails");
  declare(options, own->pairs);
  options.choice("--regime", own->regime, {"hot", "cold"},
                 "messages that are in the cache, or not (default: hot)");
  options.example("nmad-tune thresholds --rail shm");
  return [own, &profile](const Invocation& invocation) {
    return thresholds(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
