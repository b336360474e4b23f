// SPDX-License-Identifier: BSD-3-Clause
//
// Data of the page "Cluster": each pair of nodes over each rail, the platforms and in which fields
// they differ.
#pragma once

#include <map>
#include <vector>

#include "core/json.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "core/rail.h"

namespace nmt::tools {

// {"pairs": [{"rail", "near", "far", "latency_ns", "bandwidth_bytes_per_second", "curve"}],
//  "left_out": N, "curves_left_out": N,
//  "usual": [{"rail", "band": [[bytes, lower_quartile_ns, median_ns, upper_quartile_ns], ...]}],
//  "platforms": [{"id", "name", "hosts", "fingerprint"}]}
// Latency is that of the smallest message, bandwidth that of the largest, each by the best method;
// "curve" is the best method's duration, [[bytes, ns], ...]; "band" is that of all pairs, at the
// sizes that most have. Null if no pair of nodes was measured.
//
// So that the page stays small, of more than kPairsMax pairs those are left out that differ least
// from the median of their rail, and of more than kCurvesMax their curves, which are then null.
// Both are counted.
inline constexpr std::size_t kPairsMax = 20000;
inline constexpr std::size_t kCurvesMax = 5000;
json::Value cluster_json(const std::vector<const Plan*>& plans, const std::map<Id, PathName>& names,
                         const std::vector<Platform>& platforms);

}  // namespace nmt::tools
