// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/report_thresholds.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "core/plan_json.h"
#include "core/units.h"

namespace nmt::tools {
namespace {

std::string interval_text(const Threshold& threshold) {
  if (threshold.answer != Answer::kThreshold) return "";
  if (threshold.low_bytes == threshold.high_bytes) return "";
  return fmt::format("{} .. {}", format_bytes(threshold.low_bytes),
                     format_bytes(threshold.high_bytes));
}

// Why a threshold is at a size where no curves cross.
std::string bound_text(const Threshold& threshold) {
  if (!threshold.bounded) return "";
  switch (threshold.kind) {
    case DecisionKind::kRendezvous:
      return " (the limit: --max-unexpected)";
    case DecisionKind::kAggregation:
      return " (the limit: both packets must be eager)";
    default:
      return " (a limit)";
  }
}

}  // namespace

std::vector<RailPlan> rail_plans(const Plan& plan, std::string_view regime,
                                 const std::vector<std::string>& rails, const RanksPerNic& ranks) {
  std::vector<RailPlan> chosen;
  const auto fit = [&](const RailPlan& rail) {
    return fit_of_ranks(rail.ranks_per_nic, ranks.or_any());
  };
  std::map<std::tuple<std::string_view, Id, std::string_view>, std::size_t> places;
  const auto add = [&](const RailPlan& rail) {
    const auto [known, first] =
        places.try_emplace({rail.rail, rail.path, rail.placement}, chosen.size());
    if (first) {
      chosen.push_back(rail);
    } else if (RailPlan& other = chosen[known->second]; fit(rail) > fit(other)) {
      other = rail;
    }
  };
  const auto choose = [&](const std::string* name) {
    for (const RailPlan& rail : plan.rails) {
      const bool wanted = name == nullptr || rail.rail == *name;
      if (wanted && rail.regime == regime && rail.busy_rails.empty()) add(rail);
    }
  };
  if (rails.empty()) choose(nullptr);
  for (const std::string& name : rails) choose(&name);
  return chosen;
}

std::string in_words(const Threshold& threshold) {
  const std::vector<Range>& ranges = threshold.ranges;
  std::string words;
  if (ranges.size() == 1) return ranges.front().choice + " at every size";
  for (const Range& range : ranges) {
    if (!range.to_bytes) {
      words += fmt::format("{} from that size on", range.choice);
    } else {
      words += fmt::format("{} below {}, ", range.choice, format_bytes(*range.to_bytes));
    }
  }
  return words + bound_text(threshold);
}

std::string answer_text(const Threshold& threshold) {
  switch (threshold.answer) {
    case Answer::kThreshold:
      return format_bytes(threshold.bytes.value_or(0));
    case Answer::kRanges:
      return fmt::format("{} ranges", threshold.ranges.size());
    default:
      return std::string(to_string(threshold.answer));
  }
}

void add_thresholds(const std::vector<NamedPlan>& rails, Text* text, const RanksPerNic& ranks) {
  for (const NamedPlan& named : rails) {
    const RailPlan& rail = named.plan;
    text->heading(fmt::format("{} ({} buffers, {}{})", title_of(named), rail.regime, rail.placement,
                              ranks_text(rail.ranks_per_nic, ranks)));
    Table table({"decision", ">threshold", "95 % interval", ">regret", "meaning"});
    for (const Threshold& threshold : rail.thresholds) {
      table.add({std::string(to_string(threshold.kind)), answer_text(threshold),
                 interval_text(threshold), format_fraction(threshold.regret), in_words(threshold)});
    }
    text->table(std::move(table));
  }
}

void add_thresholds(const std::vector<NamedPlan>& rails, Records* records) {
  const auto optional_bytes = [](const std::optional<std::uint64_t>& bytes) {
    return bytes ? json::Value(*bytes) : json::Value();
  };
  records->header = {"rail",      "regime",     "placement", "kind",       "answer",   "bytes",
                     "low_bytes", "high_bytes", "regret",    "from_bytes", "to_bytes", "choice"};
  add_name_columns(&records->header);
  for (const NamedPlan& named : rails) {
    const RailPlan& rail = named.plan;
    for (const Threshold& each : rail.thresholds) {
      for (const Range& range : each.ranges) {
        records->rows.push_back({rail.rail, rail.regime, rail.placement, to_string(each.kind),
                                 to_string(each.answer), optional_bytes(each.bytes), each.low_bytes,
                                 each.high_bytes, each.regret, range.from_bytes,
                                 optional_bytes(range.to_bytes), range.choice});
        add_name_cells(named, &records->rows.back());
      }
    }
  }
}

json::Value thresholds_json(const RailPlan& rail) {
  json::Value out = json::Value::array();
  for (const Threshold& threshold : rail.thresholds) out.push_back(to_json(threshold));
  return out;
}

json::Value platform_json(const Platform& platform) {
  return json::Value::object().set("id", platform.id.hex()).set("name", platform.name);
}

}  // namespace nmt::tools
