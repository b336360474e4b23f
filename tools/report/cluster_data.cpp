// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/cluster_data.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/plan_json.h"
#include "core/statistics.h"

namespace nmt::tools {
namespace {

// Curves of more pairs than these have one point per octave.
constexpr std::size_t kPairsInFull = 400;

// The best method's duration at each sampled size.
std::vector<Point> best_of(const RailPlan& rail) {
  std::map<double, double> best;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark::kTransfer) continue;
    for (const Point& point : curve.duration.points()) {
      const auto [entry, first] = best.emplace(point.size_bytes, point.duration_ns);
      if (!first) entry->second = std::min(entry->second, point.duration_ns);
    }
  }
  std::vector<Point> points;
  for (const auto& [size_bytes, duration_ns] : best) points.push_back({size_bytes, duration_ns});
  return points;
}

std::vector<Point> thinned(const std::vector<Point>& points) {
  std::vector<Point> kept;
  for (const Point& point : points) {
    const bool last = &point == &points.back();
    if (kept.empty() || last || point.size_bytes >= 2 * kept.back().size_bytes) {
      kept.push_back(point);
    }
  }
  return kept;
}

// One pair of nodes over one rail.
struct MeasuredPair {
  const PathName* name = nullptr;
  std::vector<Point> best;
  double deviation = 0;  // from the median of its rail, of latency or of bandwidth; a logarithm

  double latency_ns() const { return best.front().duration_ns; }
  double ns_per_byte() const { return best.back().duration_ns / best.back().size_bytes; }
};

std::map<std::string, std::vector<MeasuredPair*>> by_rail(std::vector<MeasuredPair>& pairs) {
  std::map<std::string, std::vector<MeasuredPair*>> rails;
  for (MeasuredPair& pair : pairs) rails[pair.name->rail].push_back(&pair);
  return rails;
}

// Those that differ most first.
void order_by_deviation(std::vector<MeasuredPair>* pairs) {
  for (const auto& [rail, own] : by_rail(*pairs)) {
    for (const auto figure : {&MeasuredPair::latency_ns, &MeasuredPair::ns_per_byte}) {
      std::vector<double> values;
      for (const MeasuredPair* pair : own) values.push_back((pair->*figure)());
      const double usual = median(values);
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i]->deviation = std::max(own[i]->deviation, std::abs(std::log(values[i] / usual)));
      }
    }
  }
  std::ranges::stable_sort(*pairs, std::ranges::greater(), &MeasuredPair::deviation);
}

double rounded(double duration_ns) { return std::round(duration_ns * 10) / 10; }

json::Value usual_json(std::vector<MeasuredPair>& pairs) {
  json::Value list = json::Value::array();
  for (const auto& [rail, own] : by_rail(pairs)) {
    std::map<double, std::vector<double>> by_size;
    for (const MeasuredPair* pair : own) {
      for (const Point& point : pair->best) by_size[point.size_bytes].push_back(point.duration_ns);
    }
    json::Value band = json::Value::array();
    for (const auto& [size_bytes, durations_ns] : by_size) {
      if (size_bytes <= 0 || 2 * durations_ns.size() <= own.size()) continue;
      json::Value::Array row = {size_bytes};
      for (const double q : {0.25, 0.5, 0.75}) row.push_back(rounded(quantile(durations_ns, q)));
      band.push_back(std::move(row));
    }
    list.push_back(json::Value::object().set("rail", rail).set("band", std::move(band)));
  }
  return list;
}

json::Value curve_json(const std::vector<Point>& best) {
  json::Value curve = json::Value::array();
  for (const Point& point : best) {
    curve.push_back(json::Value::Array{point.size_bytes, rounded(point.duration_ns)});
  }
  return curve;
}

json::Value pair_json(const MeasuredPair& pair, json::Value curve) {
  return json::Value::object()
      .set("rail", pair.name->rail)
      .set("near", pair.name->node)
      .set("far", pair.name->peer)
      .set("latency_ns", pair.latency_ns())
      .set("bandwidth_bytes_per_second", 1e9 / pair.ns_per_byte())
      .set("curve", std::move(curve));
}

json::Value platforms_json(const std::vector<Platform>& platforms,
                           const std::map<Id, PathName>& names) {
  std::map<Id, std::set<std::string>> hosts;
  for (const auto& [path, name] : names) {
    hosts[name.platform].insert(name.node);
    if (!name.peer.empty()) hosts[name.peer_platform].insert(name.peer);
  }
  json::Value list = json::Value::array();
  for (const Platform& platform : platforms) {
    json::Value of_it = json::Value::array();
    for (const std::string& host : hosts[platform.id]) of_it.push_back(host);
    list.push_back(json::Value::object()
                       .set("id", platform.id.hex())
                       .set("name", platform.name)
                       .set("hosts", std::move(of_it))
                       .set("fingerprint", to_json(platform.fingerprint)));
  }
  return list;
}

}  // namespace

json::Value cluster_json(const std::vector<const Plan*>& plans, const std::map<Id, PathName>& names,
                         const std::vector<Platform>& platforms) {
  std::vector<MeasuredPair> measured;
  for (const Plan* plan : plans) {
    for (const RailPlan& rail : plan->rails) {
      const auto name = names.find(rail.path);
      if (name == names.end() || name->second.peer.empty() || rail.regime != "hot" ||
          !rail.is_alone()) {
        continue;
      }
      std::vector<Point> best = best_of(rail);
      if (!best.empty() && best.back().size_bytes > 0) {
        measured.push_back({&name->second, std::move(best)});
      }
    }
  }
  if (measured.empty()) return {};
  order_by_deviation(&measured);
  const std::size_t shown = std::min(measured.size(), kPairsMax);
  const std::size_t curves = std::min(measured.size(), kCurvesMax);
  json::Value pairs = json::Value::array();
  for (std::size_t i = 0; i < shown; ++i) {
    json::Value curve;
    if (i < curves) {
      curve = curve_json(curves <= kPairsInFull ? measured[i].best : thinned(measured[i].best));
    }
    pairs.push_back(pair_json(measured[i], std::move(curve)));
  }
  return json::Value::object()
      .set("pairs", std::move(pairs))
      .set("left_out", measured.size() - shown)
      .set("curves_left_out", shown - curves)
      .set("usual", usual_json(measured))
      .set("platforms", platforms_json(platforms, names));
}

}  // namespace nmt::tools
