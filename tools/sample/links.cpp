// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/links.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "tools/command/pair_times.h"

namespace nmt::tools {

std::vector<Link> links_of(const profiledb::ProfileDb& measured, const std::string& near,
                           const std::string& far) {
  std::map<std::string, std::map<std::uint64_t, double>> by_rail;
  for (const Platform& platform : measured.platforms()) {
    for (const SampleSet& set : measured.sample_sets_in_force(platform.id)) {
      if (set.path.from_node == set.path.to_node || !set.others.empty()) continue;
      auto& best_ns = by_rail[set.path.from.full_name()];
      for (const auto& [size_bytes, duration_ns] : landmark_durations_ns(set)) {
        const auto [entry, first] = best_ns.emplace(size_bytes, duration_ns);
        if (!first) entry->second = std::min(entry->second, duration_ns);
      }
    }
  }
  std::vector<Link> links;
  for (const auto& [rail, durations_ns] : by_rail) {
    if (durations_ns.empty()) continue;
    links.push_back({.near = near, .far = far, .rail = rail, .durations_ns = durations_ns});
  }
  return links;
}

std::vector<cluster::PairTime> pair_times(const std::vector<Link>& links) {
  std::vector<cluster::PairTime> times;
  for (const Link& link : links) {
    for (const auto& [size_bytes, duration_ns] : link.durations_ns) {
      times.push_back({.near = link.near,
                       .far = link.far,
                       .rail = link.rail,
                       .size_bytes = size_bytes,
                       .launch = std::to_string(link.round),
                       .duration_ns = duration_ns});
    }
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
    json::Value durations = json::Value::array();
    for (const auto& [size_bytes, duration_ns] : link.durations_ns) {
      durations.push_back(
          json::Value::object().set("size_bytes", size_bytes).set("duration_ns", duration_ns));
    }
    list.push_back(json::Value::object()
                       .set("near", link.near)
                       .set("far", link.far)
                       .set("rail", link.rail)
                       .set("latency_ns", link.latency_ns())
                       .set("bandwidth_bytes_per_second", link.bandwidth_bytes_per_ns() * 1e9)
                       .set("durations", std::move(durations))
                       .set("outlier", link.outlier));
  }
  return list;
}

std::vector<Link> links_from(const json::Reader& reader) {
  std::vector<Link> links;
  for (const json::Reader& each : reader.items()) {
    Link& link = links.emplace_back();
    link.near = each["near"].text();
    link.far = each["far"].text();
    link.rail = each["rail"].text();
    link.outlier = each["outlier"].boolean();
    for (const json::Reader& duration : each["durations"].items()) {
      link.durations_ns[duration["size_bytes"].unsigned_integer(std::uint64_t{1} << 53)] =
          duration["duration_ns"].number(0);
    }
    if (link.durations_ns.empty()) each["durations"].fail("is empty");
  }
  return links;
}

Table table_of(const std::vector<Link>& links) {
  Table table({"from", "to", "rail", ">latency", ">bandwidth", ""});
  for (const Link& link : links) {
    table.add({link.near, link.far, link.rail, format_duration(link.latency_ns()),
               fmt::format("{:.3g} GB/s", link.bandwidth_bytes_per_ns()),
               link.outlier ? "slower than others" : ""});
  }
  return table;
}

}  // namespace nmt::tools
