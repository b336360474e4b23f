// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/method.h"
#include "core/statistics.h"
#include "core/units.h"

namespace nmt::tools {
namespace {

bool is_transfer(const Sample& sample) {
  const Condition& condition = sample.condition;
  return !sample.held_out && !sample.repetitions.empty() && condition.is_alone() &&
         condition.benchmark == benchmark::kTransfer && condition.regime == "hot";
}

double median_ns(const Sample& sample) {
  std::vector<double> durations_ns;
  for (const Repetition& each : sample.repetitions) durations_ns.push_back(each.each_ns());
  return median(durations_ns);
}

}  // namespace

std::vector<Link> links_of(const profiledb::ProfileDb& measured, const std::string& near,
                           const std::string& far) {
  std::map<std::string, std::map<std::uint64_t, double>> by_rail;  // best duration by size
  for (const Platform& platform : measured.platforms()) {
    for (const SampleSet& set : measured.sample_sets_in_force(platform.id)) {
      if (set.path.from_node == set.path.to_node || !set.others.empty()) continue;
      for (const Sample& sample : set.samples) {
        if (!is_transfer(sample)) continue;
        const auto [best, first] =
            by_rail[set.path.from.full_name()].emplace(sample.size_bytes, median_ns(sample));
        if (!first) best->second = std::min(best->second, median_ns(sample));
      }
    }
  }
  std::vector<Link> links;
  for (const auto& [rail, best] : by_rail) {
    links.push_back({.near = near,
                     .far = far,
                     .rail = rail,
                     .latency_ns = best.begin()->second,
                     .bandwidth_bytes_per_ns =
                         static_cast<double>(best.rbegin()->first) / best.rbegin()->second});
  }
  return links;
}

std::vector<cluster::PairTime> pair_times(const std::vector<Link>& links) {
  std::vector<cluster::PairTime> times;
  for (const Link& link : links) {
    cluster::PairTime time{.near = link.near,
                           .far = link.far,
                           .rail = link.rail,
                           .figure = cluster::Figure::kLatency,
                           .launch = std::to_string(link.round),
                           .duration_ns = link.latency_ns};
    times.push_back(time);
    time.figure = cluster::Figure::kBandwidth;
    time.duration_ns = 1 / link.bandwidth_bytes_per_ns;
    times.push_back(time);
  }
  return times;
}

void mark_outliers(const cluster::OutlierFindings& findings, std::vector<Link>* links) {
  for (Link& link : *links) {
    for (const cluster::Outlier& each : findings.outliers) {
      if (!each.rail.empty() && each.rail != link.rail) continue;
      const bool near = each.node == link.near, far = each.node == link.far;
      const bool peer = each.peer == link.near || each.peer == link.far;
      if ((near || far) && (each.culprit != cluster::Culprit::kLink || peer)) link.outlier = true;
    }
  }
}

json::Value to_json(const std::vector<Link>& links) {
  json::Value list = json::Value::array();
  for (const Link& link : links) {
    list.push_back(json::Value::object()
                       .set("near", link.near)
                       .set("far", link.far)
                       .set("rail", link.rail)
                       .set("latency_ns", link.latency_ns)
                       .set("bandwidth_bytes_per_second", link.bandwidth_bytes_per_ns * 1e9)
                       .set("outlier", link.outlier));
  }
  return list;
}

std::vector<Link> links_from(const json::Reader& reader) {
  std::vector<Link> links;
  for (const json::Reader& each : reader.items()) {
    links.push_back({.near = each["near"].text(),
                     .far = each["far"].text(),
                     .rail = each["rail"].text(),
                     .latency_ns = each["latency_ns"].number(0),
                     .bandwidth_bytes_per_ns = each["bandwidth_bytes_per_second"].number(0) / 1e9,
                     .outlier = each["outlier"].boolean()});
  }
  return links;
}

Table table_of(const std::vector<Link>& links) {
  Table table({"from", "to", "rail", ">latency", ">bandwidth", ""});
  for (const Link& link : links) {
    table.add({link.near, link.far, link.rail, format_duration(link.latency_ns),
               fmt::format("{:.3g} GB/s", link.bandwidth_bytes_per_ns),
               link.outlier ? "slower than others" : ""});
  }
  return table;
}

}  // namespace nmt::tools
