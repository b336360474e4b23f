// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune compare: the cost of using one rail's thresholds on another; the table that shows that
// no thresholds fit all rails (paper "sampling-based auto-tuning", figures 9 to 18).
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

std::string cell(const std::vector<tuner::ForeignRegret>& regrets, DecisionKind kind,
                 const std::string& from, const std::string& on) {
  for (const tuner::ForeignRegret& each : regrets) {
    if (each.kind != kind || each.from != from || each.on != on) continue;
    return fmt::format("{} ({})", format_fraction(each.mean), format_fraction(each.worst));
  }
  return "-";
}

// One table per decision: rows are where thresholds come from, columns where they are applied.
void add_tables(const std::vector<RailPlan>& rails,
                const std::vector<tuner::ForeignRegret>& regrets, Text* text) {
  for (const DecisionKind kind : kDecisions) {
    std::vector<std::string> headings = {"thresholds of"};
    for (const RailPlan& on : rails) headings.push_back(">on " + on.rail);
    Table table(headings);
    for (const RailPlan& from : rails) {
      std::vector<std::string> cells = {from.rail};
      for (const RailPlan& on : rails) cells.push_back(cell(regrets, kind, from.rail, on.rail));
      table.add(std::move(cells));
    }
    text->heading(
        fmt::format("{}: mean slowdown against the best choice (worst size)", to_string(kind)));
    text->table(std::move(table));
  }
}

Report compare_rails(const std::vector<std::string>& names, const ProfileOptions& options,
                     const Invocation& invocation) {
  const OpenProfile profile = open_to_read(options, invocation);
  const Plan plan = read_plan(profile, invocation);
  require_rails(plan, names);
  std::vector<RailPlan> rails;
  for (NamedPlan& named :
       named_plans(rail_plans(plan, "hot", names), profile.db.path_names(), {})) {
    if (!named.name.peer.empty()) named.plan.rail = to_string(named.name);
    rails.push_back(std::move(named.plan));
  }
  if (rails.size() < 2) {
    throw Error(Fault::kUsage,
                fmt::format("compare needs two rails, not {}; nmad-tune show lists the rails",
                            rails.size()));
  }
  const std::vector<tuner::ForeignRegret> regrets = tuner::compare(rails);
  Report report;
  add_tables(rails, regrets, &report.text);
  json::Value list = json::Value::array();
  report.records.header = {"kind", "from", "on", "mean", "worst", "worst_size_bytes"};
  double worst = 0;
  for (const tuner::ForeignRegret& each : regrets) {
    list.push_back(json::Value::object()
                       .set("kind", to_string(each.kind))
                       .set("from", each.from)
                       .set("on", each.on)
                       .set("mean", each.mean)
                       .set("worst", each.worst)
                       .set("worst_size_bytes", each.worst_size_bytes));
    report.records.rows.push_back(
        {to_string(each.kind), each.from, each.on, each.mean, each.worst, each.worst_size_bytes});
    worst = std::max(worst, each.worst);
  }
  report.payload.set("platform", platform_json(profile.platform));
  report.payload.set("regrets", std::move(list));
  report.summary = {{"rails", std::to_string(rails.size())},
                    {"worst", fmt::format("{:.4f}", worst)},
                    {"profile", profile.location.file}};
  return report;
}

}  // namespace

Work declare_compare(Options& options, const ProfileOptions& profile) {
  const auto rails = std::make_shared<std::vector<std::string>>();
  options.texts("RAIL", *rails, "rails to compare (default: all)");
  options.example("nmad-tune compare shm tcp:lo");
  return [rails, &profile](const Invocation& invocation) {
    return compare_rails(*rails, profile, invocation);
  };
}

}  // namespace nmt::tools
