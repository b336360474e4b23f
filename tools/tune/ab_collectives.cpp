// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/ab_collectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

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
  Table table(
      {"operation", ">ranks", ">size", ">default", ">tuned", ">times as fast", "95 % interval"});
  for (const stacks::StackSamples& each : samples) {
    for (const auto& [key, times] : each.times) {
      if (key.algorithm != stacks::kOwnChoice || !key.variant.empty()) continue;
      stacks::StackKey tuned = key;
      tuned.variant = all;
      const auto with = each.times.find(tuned);
      if (with == each.times.end()) continue;
      for (const auto& [size_bytes, before] : times) {
        const auto after = with->second.find(size_bytes);
        if (after == with->second.end()) continue;
        any = true;
        const stacks::Ratio ratio = stacks::ratio_of(before, after->second);
        const double high = std::min(ratio.high, 99.99);
        table.add({key.operation, std::to_string(key.ranks), format_bytes(size_bytes),
                   format_duration(stacks::typical_ns(before)),
                   format_duration(stacks::typical_ns(after->second)),
                   fmt::format("{:.3f}", ratio.value),
                   fmt::format("{:.3f} .. {:.3f}", ratio.low, high)});
        cells.push_back(json::Value::object()
                            .set("operation", key.operation)
                            .set("ranks", key.ranks)
                            .set("size_bytes", size_bytes)
                            .set("default_ns", stacks::typical_ns(before))
                            .set("tuned_ns", stacks::typical_ns(after->second))
                            .set("ratio", ratio.value)
                            .set("ratio_low", ratio.low)
                            .set("ratio_high", high));
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
