// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/ab_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/units.h"
#include "tools/tune/ab_rows.h"

namespace nmt::tools {

OwnChoiceRounds collective_rounds(const stacks::StackFindings& findings, std::int64_t ranks) {
  OwnChoiceRounds plan{.variants = {{}, recorded_rules(findings.stack)}};
  for (const stacks::RuledCell& cell : findings.cells) {
    if (!stacks::has_rules_for(findings.cells, cell.operation, ranks)) continue;
    plan.operations[cell.operation].insert(cell.size_bytes);
  }
  return plan;
}

void add_collective_rows(const std::vector<stacks::StackSamples>& samples,
                         const stacks::StackFindings& findings, Report* report) {
  const std::string with_rules = stacks::to_variant(recorded_rules(findings.stack));
  json::Value cells = json::Value::array();
  bool any = false;
  Table table(ab_headings({"operation", ">ranks", ">size"}));
  for (const stacks::StackSamples& each : samples) {
    for (const auto& [key, times] : each.times) {
      if (key.algorithm != stacks::kOwnChoice || !key.variant.empty()) continue;
      stacks::StackKey tuned = key;
      tuned.variant = with_rules;
      const auto with = each.times.find(tuned);
      if (with == each.times.end()) continue;
      for (const AbRow& row : ab_rows(times, with->second)) {
        any = true;
        table.add(ab_cells({key.operation, std::to_string(key.ranks), format_bytes(row.size_bytes)},
                           row));
        cells.push_back(ab_json(
            json::Value::object().set("operation", key.operation).set("ranks", key.ranks), row));
      }
    }
  }
  if (any) {
    report->text.heading("Collectives");
    report->text.table(std::move(table));
  }
  report->payload.set("collectives", std::move(cells));
}

std::vector<std::string> withdrawn_rules(const std::vector<stacks::RuledCell>& before,
                                         const std::vector<stacks::RuledCell>& now) {
  const std::set<std::string> still = stacks::ruled_operations(now);
  std::vector<std::string> withdrawn;
  for (const stacks::RuledCell& cell : before) {
    if (cell.algorithm == stacks::kOwnChoice) continue;
    if (!still.contains(cell.operation)) {
      if (std::ranges::find(withdrawn, cell.operation) == withdrawn.end()) {
        withdrawn.push_back(cell.operation);
      }
      continue;
    }
    const bool stays = std::ranges::any_of(now, [&](const stacks::RuledCell& other) {
      return other.operation == cell.operation && other.ranks == cell.ranks &&
             other.size_bytes == cell.size_bytes && other.algorithm != stacks::kOwnChoice;
    });
    if (stays) continue;
    withdrawn.push_back(fmt::format("{} on {} ranks at {}", cell.operation, cell.ranks,
                                    format_bytes(cell.size_bytes)));
  }
  return withdrawn;
}

}  // namespace nmt::tools
