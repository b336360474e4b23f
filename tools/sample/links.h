// SPDX-License-Identifier: BSD-3-Clause
//
// The latency and bandwidth of each rail between two nodes of a job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "core/json.h"
#include "profiledb/profiledb.h"
#include "tools/command/text.h"

namespace nmt::tools {

struct Link {
  std::string near, far;  // hosts
  std::string rail;       // the near end's name
  // With the best method: of kLandmarksBytes, of the smallest size and of the largest. Never empty.
  std::map<std::uint64_t, double> durations_ns;
  bool outlier = false;
  std::size_t round = 0;  // links of one round were measured at one time
  double latency_ns() const { return durations_ns.begin()->second; }
  double bandwidth_bytes_per_ns() const {
    const auto& [size_bytes, duration_ns] = *durations_ns.rbegin();
    return static_cast<double>(size_bytes) / duration_ns;
  }
  bool operator==(const Link&) const = default;
};

// For all paths to another node in `measured`, which one node measured with one other.
std::vector<Link> links_of(const profiledb::ProfileDb& measured, const std::string& near,
                           const std::string& far);

// What can be compared with each other.
std::vector<cluster::PairTime> pair_times(const std::vector<Link>& links);

// Marks links that are out of line themselves, or whose node or rail is.
void mark_outliers(const cluster::OutlierFindings& findings, std::vector<Link>* links);

json::Value to_json(const std::vector<Link>& links);
std::vector<Link> links_from(const json::Reader& reader);
Table table_of(const std::vector<Link>& links);

}  // namespace nmt::tools
