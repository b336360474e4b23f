// SPDX-License-Identifier: BSD-3-Clause
//
// Data of the page "Diff": an older profile against a newer one, rail by rail.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "core/sample.h"

namespace nmt::tools {

// What one campaign measured over one rail, by the best method.
struct TrendPoint {
  std::string started_utc;
  Id campaign;
  std::string rail;
  double latency_ns = 0;                  // median of the smallest message, with hot buffers
  double bandwidth_bytes_per_second = 0;  // of the largest
};
std::vector<TrendPoint> trend_of(const Campaign& campaign, const std::vector<SampleSet>& sets);

// One side: what is in force for one platform of a profile.
struct ProfileSide {
  std::string file;
  std::string platform;     // its name
  std::string started_utc;  // of the newest campaign in force
  Plan plan;
  std::map<Id, PathName> names;  // of its paths
  std::vector<TrendPoint> trend;
};

// {"before", "after": {"file", "platform", "started_utc"},
//  "ratios": [{"rail", "regime", "placement", "method", "variant", "noise", "points"}]: duration
//     after / before at the sizes of both, [[bytes, ratio, low, high], ...], with the 95 % interval
//     of both medians; "noise" is how much two measurements of one size differ, from verification,
//     null where neither side was verified,
//  "trend": [{"rail", "started_utc", "latency_ns", "bandwidth_bytes_per_second"}]: of the campaigns
//     of both, the oldest first}
json::Value diff_json(const ProfileSide& before, const ProfileSide& after);

// What the page shows of `nmad-tune diff --json`: {"sentence", "launch_spreads", "fingerprints",
// "thresholds"}, of which the costliest stay, and "thresholds_left_out".
json::Value shown_of(const json::Value& diff);

}  // namespace nmt::tools
