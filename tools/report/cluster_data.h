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
// "platforms": [{"id", "name", "hosts", "fingerprint"}], "left_out": N}. Latency is that of the
// smallest message, bandwidth that of the largest, each by the best method; "curve" is the best
// method's duration, [[bytes, ns], ...]. Null if no pair of nodes was measured. Of more than
// kPairsMax pairs the rest is left out and counted.
inline constexpr std::size_t kPairsMax = 6000;
json::Value cluster_json(const std::vector<Plan>& plans, const std::map<Id, PathName>& names,
                         const std::vector<Platform>& platforms);

}  // namespace nmt::tools
