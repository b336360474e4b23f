// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/diff_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/method.h"
#include "core/statistics.h"
#include "tools/report/node_data.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kThresholdsMax = 200;  // a large cluster has thousands that moved

json::Value side_json(const ProfileSide& side) {
  return json::Value::object()
      .set("file", side.file)
      .set("platform", side.platform)
      .set("started_utc", side.started_utc);
}

// The same rail before: between the same nodes, or else between others.
const RailPlan* counterpart(const ProfileSide& before, const ProfileSide& after,
                            const RailPlan& rail) {
  const auto ends = [](const ProfileSide& side, const RailPlan& of) {
    const auto name = side.names.find(of.path);
    return name == side.names.end() ? std::string() : to_string(name->second);
  };
  const std::string wanted = ends(after, rail);
  const RailPlan* found = nullptr;
  for (const RailPlan& each : before.plan.rails) {
    if (each.rail != rail.rail || each.regime != rail.regime || each.placement != rail.placement ||
        !each.is_alone() || each.curves.empty()) {
      continue;
    }
    if (ends(before, each) == wanted) return &each;
    if (found == nullptr) found = &each;
  }
  return found;
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
  for (const RailPlan& rail : shown_rails(after.plan, after.names)) {
    const RailPlan* earlier = counterpart(before, after, rail);
    if (earlier == nullptr) continue;
    for (const PlanCurve& curve : earlier->curves) {
      const PlanCurve* later = counterpart(rail, curve);
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

json::Value trend_json(const ProfileSide& before, const ProfileSide& after) {
  std::vector<TrendPoint> points = before.trend;
  points.insert(points.end(), after.trend.begin(), after.trend.end());
  const auto place = [](const TrendPoint& point) {
    return std::tie(point.started_utc, point.campaign, point.rail);
  };
  std::ranges::sort(points, {}, place);
  const auto same = [&](const TrendPoint& a, const TrendPoint& b) { return place(a) == place(b); };
  points.erase(std::unique(points.begin(), points.end(), same),  // campaigns that both have
               points.end());
  json::Value list = json::Value::array();
  for (const TrendPoint& point : points) {
    list.push_back(json::Value::object()
                       .set("rail", point.rail)
                       .set("started_utc", point.started_utc)
                       .set("latency_ns", point.latency_ns)
                       .set("bandwidth_bytes_per_second", point.bandwidth_bytes_per_second));
  }
  return list;
}

}  // namespace

std::vector<TrendPoint> trend_of(const Campaign& campaign, const std::vector<SampleSet>& sets) {
  std::map<std::string, std::map<std::uint64_t, double>> best_ns;  // by rail and size
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& condition = sample.condition;
      if (condition.benchmark != benchmark::kTransfer || condition.regime != "hot" ||
          !condition.is_alone() || sample.held_out || sample.repetitions.empty()) {
        continue;
      }
      const double median_ns = summarize(sample.repetitions).median_ns;
      const auto [entry, first] =
          best_ns[set.path.from.full_name()].emplace(sample.size_bytes, median_ns);
      if (!first) entry->second = std::min(entry->second, median_ns);
    }
  }
  std::vector<TrendPoint> trend;
  for (const auto& [rail, by_size] : best_ns) {
    const auto& [most_bytes, most_ns] = *by_size.rbegin();
    trend.push_back({campaign.started_utc, campaign.id, rail, by_size.begin()->second,
                     static_cast<double>(most_bytes) / most_ns * 1e9});
  }
  return trend;
}

json::Value diff_json(const ProfileSide& before, const ProfileSide& after) {
  return json::Value::object()
      .set("before", side_json(before))
      .set("after", side_json(after))
      .set("ratios", ratios_json(before, after))
      .set("trend", trend_json(before, after));
}

json::Value shown_of(const json::Value& diff) {
  const json::Value::Array& moved = *diff.find("thresholds")->get_if<json::Value::Array>();
  const auto kept = static_cast<std::ptrdiff_t>(std::min(moved.size(), kThresholdsMax));
  return json::Value::object()
      .set("sentence", *diff.find("sentence"))
      .set("launch_spreads", *diff.find("launch_spreads"))
      .set("fingerprints", *diff.find("fingerprints"))
      .set("thresholds", json::Value::Array(moved.begin(), moved.begin() + kept))
      .set("thresholds_left_out", moved.size() - static_cast<std::size_t>(kept));
}

}  // namespace nmt::tools
