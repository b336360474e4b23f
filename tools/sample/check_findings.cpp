// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/check_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/units.h"
#include "tools/command/text.h"

namespace nmt::tools {
namespace {

// A label of Prometheus: text from outside, quoted.
std::string label(const std::string& text) {
  std::string quoted;
  for (const char c : plain(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace

std::size_t CheckFindings::count(cluster::Spot spot) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cells, [&](const CheckedCell& each) { return each.verdict.spot == spot; }));
}

std::string percent(double ratio) { return fmt::format("{:+.0f} %", 100 * (ratio - 1)); }

std::string state_of(const CheckFindings& findings) {
  if (findings.any(cluster::Spot::kSlower)) return "slower";
  if (findings.any(cluster::Spot::kFaster)) return "faster";
  return findings.any(cluster::Spot::kAgrees) ? "confirmed" : "not checked";
}

std::string line_of(const CheckFindings& findings, double tolerance) {
  const std::string state = state_of(findings);
  std::string text;
  if (state == "not checked" && findings.cells.empty() && !findings.not_checked.empty()) {
    return fmt::format("not checked: {}", fmt::join(findings.not_checked, "; "));
  }
  if (state == "not checked") {
    text =
        "not checked: too few launches; give more time with --budget, or a profile that was "
        "sampled five times at least";
  } else if (state == "confirmed") {
    const std::size_t agree = findings.count(cluster::Spot::kAgrees);
    text = fmt::format("confirmed: {} cells agree with the profile within {}", agree,
                       format_fraction(tolerance));
    if (agree < findings.cells.size()) {
      text += fmt::format("; {} have too few launches to say", findings.cells.size() - agree);
    }
  } else {
    std::string changed;
    for (const CheckedCell& each : findings.cells) {
      if (!is_changed(each.verdict.spot)) continue;
      changed += fmt::format("{}{} {} {}", changed.empty() ? "" : "; ", each.rail, each.figure,
                             percent(each.verdict.ratio));
    }
    text = state + " than the profile: " + changed;
  }
  for (const std::string& each : findings.not_checked) text += "; not checked: " + each;
  return text;
}

std::string prometheus_text(const CheckFindings& findings, bool two_alarms, double now_s) {
  std::string text =
      "# HELP nmadtune_check_ratio Duration of a cell compared with the profile; above 1 is "
      "slower.\n# TYPE nmadtune_check_ratio gauge\n";
  for (const CheckedCell& each : findings.cells) {
    if (each.verdict.spot == cluster::Spot::kCannotSay) continue;
    text += fmt::format(
        "nmadtune_check_ratio{{rail=\"{}\",figure=\"{}\",method=\"{}\",size_bytes=\"{}\"}} {}\n",
        label(each.rail), label(each.figure), label(each.cell.method), each.cell.size_bytes,
        each.verdict.ratio);
  }
  text +=
      "# HELP nmadtune_check_cells Cells by what the check says of them.\n"
      "# TYPE nmadtune_check_cells gauge\n";
  for (const cluster::Spot spot : {cluster::Spot::kAgrees, cluster::Spot::kSlower,
                                   cluster::Spot::kFaster, cluster::Spot::kCannotSay}) {
    text += fmt::format("nmadtune_check_cells{{verdict=\"{}\"}} {}\n", cluster::to_string(spot),
                        findings.count(spot));
  }
  const auto gauge = [&](std::string_view name, std::string_view help, double value) {
    text += fmt::format(
        "# HELP nmadtune_check_{0} {1}\n# TYPE nmadtune_check_{0} gauge\n"
        "nmadtune_check_{0} {2:.0f}\n",
        name, help, value);
  };
  gauge("rails_not_checked", "Rails, and kinds of rails, that were not checked.",
        static_cast<double>(findings.not_checked.size()));
  if (state_of(findings) != "not checked") {  // else nobody knows
    gauge("slower", "Whether a cell is slower than the profile beyond tolerance.",
          findings.any(cluster::Spot::kSlower) ? 1 : 0);
    gauge("two_alarms", "Whether checks in a row, ten minutes apart, found the node slower.",
          two_alarms ? 1 : 0);
  }
  gauge("time_seconds", "When the last check ended.", now_s);
  return text;
}

}  // namespace nmt::tools
