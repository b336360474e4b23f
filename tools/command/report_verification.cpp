// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/report_verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace nmt::tools {

Verification of_rails(const Verification& verification, const std::vector<std::string>& rails) {
  const auto of_others = [&](const auto& entry) {
    return std::ranges::find(rails, entry.rail) == rails.end();
  };
  Verification chosen = verification;
  std::erase_if(chosen.predictions, of_others);
  std::erase_if(chosen.decisions, of_others);
  return chosen;
}

void add_verification(const Verification& verification, Text* text) {
  Table predictions(
      {"rail", "regime", "method", ">sizes", ">median error", ">95th", ">repeat noise"});
  for (const auto& each : verification.predictions) {
    predictions.add({each.rail, each.regime, each.method, std::to_string(each.sizes),
                     format_fraction(each.error_median), format_fraction(each.error_p95),
                     format_fraction(each.noise_floor)});
  }
  text->heading("Predictions at held-out sizes").table(std::move(predictions));

  Table decisions({"rail", "regime", "decision", ">sizes", ">median regret", ">95th"});
  for (const auto& each : verification.decisions) {
    decisions.add({each.rail, each.regime, each.kind, std::to_string(each.sizes),
                   format_fraction(each.regret_median), format_fraction(each.regret_p95)});
  }
  text->heading("Decisions at held-out sizes").table(std::move(decisions));
}

std::string explain_unverified(double budget_ns) {
  return fmt::format(
      "not verified: the budget of {} ended before nmad-sample --verify had measured enough "
      "held-out "
      "sizes; give more time with --verify --budget {}",
      format_duration(budget_ns), format_duration(5 * budget_ns));
}

}  // namespace nmt::tools
