// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/ab_collectives.h"

#include "core/units.h"
#include "tools/tune/ab_rows.h"

namespace nmt::tools {
namespace {

bool has_rules(const stacks::StackFindings& findings) {
  return !stacks::ruled_operations(findings.cells).empty();
}

Fields together(const stacks::StackFindings& findings, Fields whole) {
  if (has_rules(findings)) whole.merge(recorded_rules(findings.stack));
  return whole;
}

}  // namespace

OwnChoiceRounds collective_rounds(const stacks::StackFindings& findings, const Fields& whole,
                                  std::int64_t ranks) {
  OwnChoiceRounds plan;
  for (const stacks::TunedOperation& operation : stacks::tuned_operations()) {
    const std::string name(operation.name);
    if (stacks::has_rules_for(findings.cells, name, ranks) || !whole.empty()) {
      plan.operations.push_back(name);
    }
  }
  plan.variants = {{}, together(findings, whole)};
  if (!whole.empty() && has_rules(findings)) {  // so that a loss can be assigned to one of them
    plan.variants.push_back(whole);
    plan.variants.push_back(recorded_rules(findings.stack));
  }
  return plan;
}

void add_collective_rows(const std::vector<stacks::StackSamples>& samples,
                         const stacks::StackFindings& findings, const Fields& whole,
                         Report* report) {
  const std::string all = stacks::to_variant(together(findings, whole));
  json::Value cells = json::Value::array();
  bool any = false;
  Table table(ab_headings({"operation", ">ranks", ">size"}));
  for (const stacks::StackSamples& each : samples) {
    for (const auto& [key, times] : each.times) {
      if (key.algorithm != stacks::kOwnChoice || !key.variant.empty()) continue;
      stacks::StackKey tuned = key;
      tuned.variant = all;
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

}  // namespace nmt::tools
