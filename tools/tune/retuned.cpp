// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/retuned.h"

#include <fmt/format.h>

#include "tools/command/report_thresholds.h"
#include "tools/command/tune_profile.h"

namespace nmt::tools {

Report retuned(profiledb::ProfileDb& db, const std::vector<Platform>& platforms) {
  Report report;
  json::Value list = json::Value::array();
  std::size_t campaigns = 0;
  for (const Platform& platform : platforms) {
    const Plan plan = tune(db, platform.id);
    campaigns += plan.campaigns.size();
    const std::vector<NamedPlan> rails =
        named_plans(rail_plans(plan, "hot", {}), db.path_names(), {});
    report.text.heading(fmt::format("{}: derived from {} {}", platform.name, plan.campaigns.size(),
                                    plan.campaigns.size() == 1 ? "campaign" : "campaigns"));
    add_thresholds(rails, &report.text);
    add_thresholds(rails, &report.records);
    json::Value ids = json::Value::array();
    for (const Id& id : plan.campaigns) ids.push_back(id.hex());
    list.push_back(platform_json(platform).set("campaigns", std::move(ids)));
  }
  report.payload.set("platforms", std::move(list));
  report.summary = {{"platforms", std::to_string(platforms.size())},
                    {"campaigns", std::to_string(campaigns)},
                    {"profile", db.file()}};
  return report;
}

}  // namespace nmt::tools
