// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/report_outliers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kNextShown = 20;

json::Value text_or_null(const std::string& text) {
  return text.empty() ? json::Value() : json::Value(text);
}

json::Value to_json(const cluster::Outlier& each) {
  return json::Value::object()
      .set("kind", to_string(each.culprit))
      .set("node", each.node)
      .set("peer", text_or_null(each.peer))
      .set("rail", text_or_null(each.rail))
      .set("figure", to_string(each.figure))
      .set("ratio", each.ratio)
      .set("low_ratio", each.interval.low)
      .set("high_ratio", each.interval.high)
      .set("chance", each.chance)
      .set("pairs", each.pairs);
}

json::Value to_json(const cluster::NextPair& each) {
  return json::Value::object()
      .set("node", each.near)
      .set("peer", each.far)
      .set("rail", each.rail)
      .set("reason", each.reason);
}

void add_next(const std::vector<cluster::NextPair>& next, Text* text) {
  if (next.empty()) return;
  text->heading("Suspected, but not sure: measure these pairs next");
  Table table({"from", "to", "rail", "why"});
  for (std::size_t i = 0; i < std::min(next.size(), kNextShown); ++i) {
    table.add({next[i].near, next[i].far, next[i].rail, next[i].reason});
  }
  text->table(std::move(table));
  if (next.size() > kNextShown) {
    text->line(fmt::format("and {} more (--json has all)", next.size() - kNextShown));
  }
  text->line("mpirun ... nmad-sample --parts pairs --pairs-of HOST,... does.");
}

}  // namespace

std::string name_of(const cluster::Outlier& outlier) {
  switch (outlier.culprit) {
    case cluster::Culprit::kNode:
      return "node " + outlier.node;
    case cluster::Culprit::kRail:
      return fmt::format("rail {} of {}", outlier.rail, outlier.node);
    case cluster::Culprit::kLink:
      break;
  }
  return fmt::format("link {} - {} over {}", outlier.node, outlier.peer, outlier.rail);
}

json::Value outliers_json(const cluster::OutlierFindings& findings) {
  json::Value outliers = json::Value::array(), next = json::Value::array();
  for (const cluster::Outlier& each : findings.outliers) outliers.push_back(to_json(each));
  for (const cluster::NextPair& each : findings.next) next.push_back(to_json(each));
  return json::Value::object()
      .set("can_say", findings.can_say)
      .set("outliers", std::move(outliers))
      .set("next", std::move(next));
}

void add_outliers(const cluster::OutlierFindings& findings, const cluster::OutlierOptions& options,
                  Report* report) {
  const json::Value json = outliers_json(findings);
  for (const char* member : {"can_say", "outliers", "next"}) {
    report->payload.set(member, *json.find(member));
  }
  report->records.header = {"kind",  "node",      "peer",       "rail",   "figure",
                            "ratio", "low_ratio", "high_ratio", "chance", "pairs"};
  Table table({"what", "figure", ">slower", "95 % interval", ">by chance", ">pairs"});
  for (const cluster::Outlier& each : findings.outliers) {
    table.add({name_of(each), std::string(to_string(each.figure)), format_fraction(each.ratio - 1),
               fmt::format("{} .. {}", format_fraction(each.interval.low - 1),
                           format_fraction(each.interval.high - 1)),
               fmt::format("{:.1g}", each.chance), std::to_string(each.pairs)});
    report->records.rows.push_back({to_string(each.culprit), each.node, text_or_null(each.peer),
                                    text_or_null(each.rail), to_string(each.figure), each.ratio,
                                    each.interval.low, each.interval.high, each.chance,
                                    each.pairs});
  }
  if (!findings.outliers.empty()) {
    report->text.heading(fmt::format("Slower than the others ({} pairs of {} nodes)",
                                     findings.pairs, findings.nodes));
    report->text.table(std::move(table));
  } else if (findings.can_say) {
    report->text.line(fmt::format(
        "No node, link or rail is slower than the others by {} beyond chance ({} pairs of {} "
        "nodes).",
        format_fraction(options.slower_min), findings.pairs, findings.nodes));
  } else {
    report->text.line(fmt::format(
        "Cannot say: {} pairs of {} nodes are too few to tell a slow node from chance; measure "
        "more pairs, of more nodes.",
        findings.pairs, findings.nodes));
  }
  add_next(findings.next, &report->text);
}

}  // namespace nmt::tools
