// SPDX-License-Identifier: BSD-3-Clause
//
// Data of the page "Diff": an older profile against a newer one, rail by rail.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/plan.h"
#include "core/rail.h"
#include "profiledb/profiledb.h"

namespace nmt::tools {

// One side: what is in force for one platform of a profile.
struct ProfileSide {
  std::string file;
  const profiledb::ProfileDb* db = nullptr;  // outlives the call
  Platform platform;
  Plan plan;
};

// {"before", "after": {"file", "platform", "started_utc"},
//  "fields": [{"what", "field", "before", "now"}]: fingerprints of the platform and of rails,
//  "ratios": [{"rail", "regime", "placement", "method", "variant", "noise", "points"}]: duration
//     after / before at the sizes of both, [[bytes, ratio, low, high], ...], with the 95 % interval
//     of both medians; "noise" is how much two measurements of one size differ, from verification,
//     null where neither side was verified,
//  "thresholds": [{"rail", "regime", "placement", "kind", "before", "after", "regret_mean",
//     "regret_worst", "worst_size_bytes"}]: those that moved, with what keeping the old would cost,
//  "trend": [{"rail", "started_utc", "latency_ns", "bandwidth_bytes_per_second"}]: of every
//     campaign of both, the oldest first}
json::Value diff_json(const ProfileSide& before, const ProfileSide& after);

}  // namespace nmt::tools
