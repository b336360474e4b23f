// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/report_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace nmt::tools {
namespace {

std::vector<std::string> row_of(const stacks::GroupVerdict& verdict, const std::string& settings,
                                double high) {
  const std::string kept = verdict.shared.empty() ? "kept" : "kept: " + verdict.shared;
  const std::string judged = verdict.kept ? kept : "left out: " + verdict.reason;
  if (verdict.gain.rounds == 0) {  // it had no effect, so there is nothing to compare
    return {verdict.group, settings, "-", "-", "-", verdict.rail, judged};
  }
  return {verdict.group,
          settings,
          fmt::format("{:.3f}", verdict.gain.value),
          fmt::format("{:.3f} .. {:.3f}", verdict.gain.low, high),
          fmt::format("{} ({:.2f})", format_bytes(verdict.best_size_bytes), verdict.best.value),
          verdict.rail,
          judged};
}

}  // namespace

void add_verdicts(std::span<const stacks::GroupVerdict> verdicts, Report* report) {
  Table table(
      {"group", "settings", ">gain", "95 % interval", ">most at", "measured on", "verdict"});
  json::Value all = json::Value::array();
  report->records.header = {"group",     "settings", "gain", "gain_low",
                            "gain_high", "rail",     "kept", "reason"};
  for (const stacks::GroupVerdict& verdict : verdicts) {
    const stacks::Ratio& gain = verdict.gain;
    const double high = std::min(gain.high, 99.99);  // an unlimited interval is no number
    const std::string settings = stacks::to_variant(verdict.settings);
    table.add(row_of(verdict, settings, high));
    all.push_back(json::Value::object()
                      .set("group", verdict.group)
                      .set("settings", settings)
                      .set("gain", gain.value)
                      .set("gain_low", gain.low)
                      .set("gain_high", high)
                      .set("rail", verdict.rail)
                      .set("measured_utc", verdict.measured_utc)
                      .set("kept", verdict.kept)
                      .set("reason", verdict.reason));
    report->records.rows.push_back({verdict.group, settings, gain.value, gain.low, high,
                                    verdict.rail, verdict.kept, verdict.reason});
  }
  if (!verdicts.empty()) report->text.table(std::move(table));
  const bool few = std::ranges::any_of(verdicts, [](const stacks::GroupVerdict& verdict) {
    return verdict.gain.rounds + 1 == stacks::kRoundsOfFullConfidence;
  });
  if (few) report->text.line("Intervals from 5 rounds are of 94 %; 6 rounds make them 95 %");
  report->payload.set("settings", std::move(all));
}

void warn_of_untried(std::string_view stack, std::string_view version, Report* report) {
  if (version.empty()) return;
  const std::string warning = stacks::warning_of_untried(stack, version);
  if (!warning.empty()) report->warnings.push_back(warning);
}

}  // namespace nmt::tools
