// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/node_data.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/plan_json.h"
#include "core/rail.h"
#include "tools/command/report_thresholds.h"
#include "tools/report/constants.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

json::Value to_json(const PlanCurve& curve) {
  return json::Value::object()
      .set("benchmark", curve.benchmark)
      .set("method", curve.method)
      .set("variant", curve.variant)
      .set("spread", curve.spread)
      .set("duration", nmt::to_json(curve.duration))
      .set("low", nmt::to_json(curve.low))
      .set("high", nmt::to_json(curve.high));
}

// What one threshold costs on a rail: {"name", "source", "bytes", "mean", "worst",
// "worst_size_bytes", "points"}; null where nothing can be said.
json::Value cost_json(const RailPlan& on, const Threshold& threshold, std::string_view name,
                      std::string_view source) {
  const std::vector<tuner::RegretAt> regrets = tuner::regrets_at(on, threshold);
  if (regrets.empty()) return {};
  json::Value points = json::Value::array();
  for (const tuner::RegretAt& each : regrets) {
    points.push_back(json::Value::Array{each.size_bytes, each.regret});
  }
  const tuner::RegretSummary summary = tuner::summary_of(regrets);
  return json::Value::object()
      .set("name", name)
      .set("source", source)
      .set("bytes", threshold.bytes ? json::Value(*threshold.bytes) : json::Value())
      .set("mean", summary.mean)
      .set("worst", summary.worst)
      .set("worst_size_bytes", summary.worst_size_bytes)
      .set("points", std::move(points));
}

json::Value costs_json(const std::vector<RailPlan>& rails, const RailPlan& on, DecisionKind kind) {
  json::Value costs = json::Value::array();
  const auto add = [&](const Threshold& threshold, std::string_view name, std::string_view source) {
    json::Value cost = cost_json(on, threshold, name, source);
    if (!cost.is_null()) costs.push_back(std::move(cost));
  };
  if (const Threshold* own = on.find_threshold(kind)) add(*own, "measured here", "this profile");
  std::string driver, name;
  split_rail_name(on.rail, &driver, &name);
  for (const ForeignConstant& constant : foreign_constants(driver, kind)) {
    add(tuner::threshold_at(kind, constant.bytes), constant.name, constant.source);
  }
  for (const RailPlan& from : rails) {
    const Threshold* threshold = from.find_threshold(kind);
    if (threshold == nullptr || from.regime != on.regime || from.rail == on.rail) continue;
    add(*threshold, "the threshold of " + from.rail, in_words(*threshold));
  }
  return costs;
}

}  // namespace

std::vector<RailPlan> shown_rails(const Plan& plan, const std::map<Id, PathName>& names) {
  struct Measured {
    std::set<std::string> rails;
    std::size_t points = 0;
  };
  std::map<std::pair<std::string, std::string>, Measured> between;
  const auto measured = [&](const RailPlan& rail) -> Measured& {
    const auto name = names.find(rail.path);
    if (name == names.end()) return between[{}];
    return between[{name->second.node, name->second.peer}];
  };
  const auto is_alone = [](const RailPlan& rail) {
    return rail.is_alone() && !rail.curves.empty();
  };
  for (const RailPlan& rail : plan.rails) {
    if (!is_alone(rail)) continue;
    Measured& ends = measured(rail);
    ends.rails.insert(rail.rail);
    for (const PlanCurve& curve : rail.curves) ends.points += curve.duration.points().size();
  }
  const auto rank = [&](const RailPlan& rail) {
    const Measured& ends = measured(rail);
    return std::pair(ends.rails.size(), ends.points);
  };
  std::vector<const RailPlan*> best;
  for (const RailPlan& rail : plan.rails) {
    if (!is_alone(rail)) continue;
    const auto same = std::ranges::find_if(best, [&](const RailPlan* each) {
      return each->rail == rail.rail && each->regime == rail.regime &&
             each->placement == rail.placement;
    });
    if (same == best.end()) {
      best.push_back(&rail);
    } else if (rank(rail) > rank(**same)) {
      *same = &rail;
    }
  }
  std::vector<RailPlan> shown;
  for (const RailPlan* rail : best) shown.push_back(*rail);
  return shown;
}

json::Value rails_json(const std::vector<NamedPlan>& rails) {
  json::Value list = json::Value::array();
  for (const NamedPlan& named : rails) {
    const RailPlan& rail = named.plan;
    json::Value curves = json::Value::array();
    for (const PlanCurve& curve : rail.curves) curves.push_back(to_json(curve));
    json::Value object = json::Value::object().set("rail", rail.rail);
    add_name_members(named, &object);
    object.set("regime", rail.regime)
        .set("placement", rail.placement)
        .set("max_unexpected_bytes", rail.max_unexpected_bytes)
        .set("chunk_bytes_min", rail.chunk_bytes_min)
        .set("thresholds", thresholds_json(rail))
        .set("curves", std::move(curves));
    list.push_back(std::move(object));
  }
  return list;
}

json::Value foreign_json(const std::vector<RailPlan>& rails) {
  json::Value list = json::Value::array();
  for (const RailPlan& on : rails) {
    if (on.regime != "hot") continue;
    for (const DecisionKind kind : kDecisions) {
      json::Value costs = costs_json(rails, on, kind);
      if (costs.get_if<json::Value::Array>()->empty()) continue;
      list.push_back(json::Value::object()
                         .set("rail", on.rail)
                         .set("path", nmt::to_json(on.path))
                         .set("placement", on.placement)
                         .set("kind", to_string(kind))
                         .set("costs", std::move(costs)));
    }
  }
  return list;
}

json::Value origins_json(std::span<const SampleSet> sets) {
  std::set<std::string_view> origins;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) origins.insert(to_string(sample.origin));
  }
  json::Value list = json::Value::array();
  for (const std::string_view origin : origins) list.push_back(origin);
  return list;
}

json::Value held_out_json(const std::vector<RailPlan>& rails, const Plan& plan,
                          std::span<const SampleSet> sets) {
  std::vector<SampleSet> of_shown;  // a large cluster has thousands of other paths
  for (const SampleSet& set : sets) {
    if (std::ranges::find(rails, set.path.id, &RailPlan::path) != rails.end()) {
      of_shown.push_back(set);
    }
  }
  json::Value list = json::Value::array();
  for (const tuner::HeldOut& point : tuner::held_out(plan, of_shown)) {
    const auto shown = [&](const RailPlan& rail) {
      return rail.path == point.path && rail.regime == point.regime;
    };
    if (std::ranges::none_of(rails, shown)) continue;
    list.push_back(json::Value::object()
                       .set("rail", point.rail)
                       .set("regime", point.regime)
                       .set("method", point.method)
                       .set("size_bytes", point.size_bytes)
                       .set("measured_ns", point.measured_ns)
                       .set("predicted_ns", point.predicted_ns));
  }
  return list;
}

}  // namespace nmt::tools
