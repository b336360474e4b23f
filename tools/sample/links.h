// SPDX-License-Identifier: BSD-3-Clause
//
// The latency and bandwidth of each rail between two nodes, and which rails are slower than the
// others: a slow node, a bad cable.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "profiledb/profiledb.h"
#include "tools/command/text.h"

namespace nmt::tools {

struct Link {
  std::string near, far;              // hosts
  std::string rail;                   // the near end's name
  double latency_ns = 0;              // of the smallest message, with the best method
  double bandwidth_bytes_per_ns = 0;  // of the largest
  bool outlier = false;
  bool operator==(const Link&) const = default;
};

// For all paths to another node in `measured`, which one node measured with one other.
std::vector<Link> links_of(const profiledb::ProfileDb& measured, const std::string& near,
                           const std::string& far);

// Marks links that are slower than the usual link of the same rail: by much more than links differ,
// and by a quarter at least. Needs three links of a rail.
void mark_outliers(std::vector<Link>* links);

json::Value to_json(const std::vector<Link>& links);
std::vector<Link> links_from(const json::Reader& reader);
Table table_of(const std::vector<Link>& links);

}  // namespace nmt::tools
