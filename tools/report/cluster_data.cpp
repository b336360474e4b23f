// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/cluster_data.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/plan_json.h"

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

json::Value pair_json(const PathName& name, const std::vector<Point>& best, bool in_full) {
  json::Value curve = json::Value::array();
  for (const Point& point : in_full ? best : thinned(best)) {
    const double rounded = std::round(point.duration_ns * 10) / 10;
    curve.push_back(json::Value::Array{point.size_bytes, rounded});
  }
  const Point& largest = best.back();
  return json::Value::object()
      .set("rail", name.rail)
      .set("near", name.node)
      .set("far", name.peer)
      .set("latency_ns", best.front().duration_ns)
      .set("bandwidth_bytes_per_second", largest.size_bytes / largest.duration_ns * 1e9)
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

json::Value cluster_json(const std::vector<Plan>& plans, const std::map<Id, PathName>& names,
                         const std::vector<Platform>& platforms) {
  std::vector<std::pair<const PathName*, std::vector<Point>>> measured;
  for (const Plan& plan : plans) {
    for (const RailPlan& rail : plan.rails) {
      const auto name = names.find(rail.path);
      if (name == names.end() || name->second.peer.empty() || rail.regime != "hot" ||
          !rail.busy_rails.empty()) {
        continue;
      }
      std::vector<Point> best = best_of(rail);
      if (!best.empty()) measured.emplace_back(&name->second, std::move(best));
    }
  }
  if (measured.empty()) return {};
  const std::size_t shown = std::min(measured.size(), kPairsMax);
  json::Value pairs = json::Value::array();
  for (std::size_t i = 0; i < shown; ++i) {
    pairs.push_back(pair_json(*measured[i].first, measured[i].second, shown <= kPairsInFull));
  }
  return json::Value::object()
      .set("pairs", std::move(pairs))
      .set("platforms", platforms_json(platforms, names))
      .set("left_out", measured.size() - shown);
}

}  // namespace nmt::tools
