// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/diff_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "core/plan_json.h"
#include "core/statistics.h"
#include "tools/report/node_data.h"
#include "tuner/tuner.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kCampaignsMax = 50;  // of each side, in the trend

json::Value side_json(const ProfileSide& side) {
  std::string started;
  for (const Campaign& campaign : side.db->campaigns(side.platform.id)) {
    const auto& used = side.plan.campaigns;
    if (std::ranges::find(used, campaign.id) != used.end()) {
      started = std::max(started, campaign.started_utc);
    }
  }
  return json::Value::object()
      .set("file", side.file)
      .set("platform", side.platform.name)
      .set("started_utc", started);
}

void add_fields(const std::string& what, const Fields& before, const Fields& now,
                json::Value* list) {
  const auto text = [](const std::optional<std::string>& value) {
    return value ? json::Value(*value) : json::Value();
  };
  for (const Difference& each : differences(before, now)) {
    list->push_back(json::Value::object()
                        .set("what", what)
                        .set("field", each.field)
                        .set("before", text(each.before))
                        .set("now", text(each.now)));
  }
}

// The fingerprint of each rail by name; of equal names, that of the first path.
std::map<std::string, Fields> rails_of(const ProfileSide& side) {
  std::map<std::string, Fields> rails;
  for (const Path& path : side.db->paths(side.platform.id)) {
    if (path.from.driver != kCores) rails.emplace(path.from.full_name(), path.from.fingerprint);
  }
  return rails;
}

json::Value fields_json(const ProfileSide& before, const ProfileSide& after) {
  json::Value list = json::Value::array();
  add_fields("platform", before.platform.fingerprint, after.platform.fingerprint, &list);
  const std::map<std::string, Fields> now = rails_of(after);
  for (const auto& [name, fields] : rails_of(before)) {
    if (const auto same = now.find(name); same != now.end()) {
      add_fields(name, fields, same->second, &list);
    }
  }
  return list;
}

const RailPlan* counterpart(const std::vector<RailPlan>& rails, const RailPlan& rail) {
  const auto found = std::ranges::find_if(rails, [&](const RailPlan& each) {
    return each.rail == rail.rail && each.regime == rail.regime && each.placement == rail.placement;
  });
  return found == rails.end() ? nullptr : &*found;
}

const PlanCurve* counterpart(const RailPlan& rail, const PlanCurve& curve) {
  const auto found = std::ranges::find_if(rail.curves, [&](const PlanCurve& each) {
    return each.benchmark == curve.benchmark && each.method == curve.method &&
           each.variant == curve.variant;
  });
  return found == rail.curves.end() ? nullptr : &*found;
}

// Half of the 95 % interval of a median, as a logarithm.
double half_width(const PlanCurve& curve, double size_bytes) {
  const double low = curve.low.at(size_bytes), high = curve.high.at(size_bytes);
  return low > 0 && high > low ? std::log(high / low) / 2 : 0;
}

json::Value points_json(const PlanCurve& before, const PlanCurve& after) {
  json::Value points = json::Value::array();
  const double most = after.duration.points().back().size_bytes;
  for (const Point& point : before.duration.points()) {
    if (point.size_bytes > most || point.duration_ns <= 0) continue;
    const double ratio = after.duration.at(point.size_bytes) / point.duration_ns;
    const double half =
        std::hypot(half_width(before, point.size_bytes), half_width(after, point.size_bytes));
    points.push_back(json::Value::Array{point.size_bytes, ratio, ratio * std::exp(-half),
                                        ratio * std::exp(half)});
  }
  return points;
}

json::Value noise_json(const ProfileSide& before, const ProfileSide& after, const RailPlan& rail,
                       const PlanCurve& curve) {
  std::optional<double> noise;
  for (const ProfileSide* side : {&before, &after}) {
    if (!side->plan.verification) continue;
    for (const Verification::Prediction& each : side->plan.verification->predictions) {
      if (each.rail != rail.rail || each.regime != rail.regime || each.method != curve.method) {
        continue;
      }
      noise = std::max(noise.value_or(0), each.noise_floor);
    }
  }
  return noise ? json::Value(*noise) : json::Value();
}

json::Value ratios_json(const ProfileSide& before, const ProfileSide& after) {
  json::Value list = json::Value::array();
  const std::vector<RailPlan> now = shown_rails(after.plan);
  for (const RailPlan& rail : shown_rails(before.plan)) {
    const RailPlan* other = counterpart(now, rail);
    if (other == nullptr) continue;
    for (const PlanCurve& curve : rail.curves) {
      const PlanCurve* later = counterpart(*other, curve);
      if (curve.benchmark != benchmark::kTransfer || later == nullptr) continue;
      list.push_back(json::Value::object()
                         .set("rail", rail.rail)
                         .set("regime", rail.regime)
                         .set("placement", rail.placement)
                         .set("method", curve.method)
                         .set("variant", curve.variant)
                         .set("noise", noise_json(before, after, rail, curve))
                         .set("points", points_json(curve, *later)));
    }
  }
  return list;
}

json::Value moved_json(const RailPlan& now, const Threshold& before, const Threshold& after) {
  const std::vector<tuner::RegretAt> regrets = tuner::regrets_at(now, before);
  std::vector<std::uint64_t> sizes_bytes;
  for (const tuner::RegretAt& each : regrets) sizes_bytes.push_back(each.size_bytes);
  const std::vector<double> shares = tuner::shares_of(sizes_bytes);
  double mean = 0;
  tuner::RegretAt worst;
  for (std::size_t i = 0; i < regrets.size(); ++i) {
    mean += shares[i] * regrets[i].regret;
    if (regrets[i].regret > worst.regret) worst = regrets[i];
  }
  return json::Value::object()
      .set("rail", now.rail)
      .set("regime", now.regime)
      .set("placement", now.placement)
      .set("kind", to_string(after.kind))
      .set("before", to_json(before))
      .set("after", to_json(after))
      .set("regret_mean", mean)
      .set("regret_worst", worst.regret)
      .set("worst_size_bytes", worst.size_bytes);
}

json::Value thresholds_moved_json(const ProfileSide& before, const ProfileSide& after) {
  json::Value list = json::Value::array();
  const std::vector<RailPlan> now = shown_rails(after.plan);
  for (const RailPlan& rail : shown_rails(before.plan)) {
    const RailPlan* other = counterpart(now, rail);
    if (other == nullptr) continue;
    for (const Threshold& threshold : rail.thresholds) {
      const Threshold* later = other->find_threshold(threshold.kind);
      if (later == nullptr || later->ranges == threshold.ranges) continue;
      list.push_back(moved_json(*other, threshold, *later));
    }
  }
  return list;
}

struct TrendPoint {
  double least_bytes = 0, latency_ns = 0, most_bytes = 0, most_ns = 0;
};

// The best method's median at the smallest and at the largest size of each rail.
std::map<std::string, TrendPoint> trend_of(const std::vector<SampleSet>& sets) {
  std::map<std::string, std::map<std::uint64_t, double>> best;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& condition = sample.condition;
      if (condition.benchmark != benchmark::kTransfer || condition.regime != "hot" ||
          !condition.busy_rails.empty() || sample.held_out || sample.repetitions.empty()) {
        continue;
      }
      const double median_ns = summarize(sample.repetitions).median_ns;
      const auto [entry, first] =
          best[set.path.from.full_name()].emplace(sample.size_bytes, median_ns);
      if (!first) entry->second = std::min(entry->second, median_ns);
    }
  }
  std::map<std::string, TrendPoint> trend;
  for (const auto& [rail, by_size] : best) {
    trend[rail] = {static_cast<double>(by_size.begin()->first), by_size.begin()->second,
                   static_cast<double>(by_size.rbegin()->first), by_size.rbegin()->second};
  }
  return trend;
}

json::Value trend_json(const ProfileSide& before, const ProfileSide& after) {
  std::map<std::pair<std::string, Id>, std::map<std::string, TrendPoint>> campaigns;
  for (const ProfileSide* side : {&before, &after}) {
    std::size_t count = 0;
    for (const Campaign& campaign : side->db->campaigns(side->platform.id)) {  // newest first
      if (count++ == kCampaignsMax) break;
      try {
        campaigns.emplace(std::pair(campaign.started_utc, campaign.id),
                          trend_of(side->db->sample_sets(campaign.id)));
      } catch (const Error&) {  // damaged; nmad-tune show says so
      }
    }
  }
  json::Value list = json::Value::array();
  for (const auto& [campaign, rails] : campaigns) {
    for (const auto& [rail, point] : rails) {
      list.push_back(
          json::Value::object()
              .set("rail", rail)
              .set("started_utc", campaign.first)
              .set("latency_ns", point.latency_ns)
              .set("bandwidth_bytes_per_second", point.most_bytes / point.most_ns * 1e9));
    }
  }
  return list;
}

}  // namespace

json::Value diff_json(const ProfileSide& before, const ProfileSide& after) {
  return json::Value::object()
      .set("before", side_json(before))
      .set("after", side_json(after))
      .set("fields", fields_json(before, after))
      .set("ratios", ratios_json(before, after))
      .set("thresholds", thresholds_moved_json(before, after))
      .set("trend", trend_json(before, after));
}

}  // namespace nmt::tools
