// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/report_offloads.h"

#include <fmt/format.h>

#include "core/plan_json.h"
#include "core/units.h"

namespace nmt::tools {

void add_offloads(const std::vector<OffloadCost>& offloads, Text* text) {
  if (offloads.empty()) return;
  Table table({"other core", "which", ">cost", "95 % interval"});
  for (const OffloadCost& each : offloads) {
    table.add(
        {each.placement, each.preempting ? "computes" : "is idle", format_duration(each.cost_ns),
         fmt::format("{} .. {}", format_duration(each.low_ns), format_duration(each.high_ns))});
  }
  text->heading("Cost of handing a submission to another core").table(std::move(table));
}

json::Value offloads_json(const std::vector<OffloadCost>& offloads) {
  json::Value out = json::Value::array();
  for (const OffloadCost& each : offloads) out.push_back(to_json(each));
  return out;
}

}  // namespace nmt::tools
