// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes below switches that are known, and what messages under way together take on them: each
// flow gets its max-min fair share of NICs and uplinks, anew whenever one ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flow_time.h"

namespace nmt::planted {

struct FlowNetwork {
  std::vector<std::size_t> leaf_of;  // of each node
  double uplink = 4;                 // of each leaf, each way, in NICs
  std::vector<double> nic;           // speed of each node's, 1 as usual; empty: all 1
};

// Nodes of a job on leaves of `leaf` nodes each: a stretch of neighbours that begins anywhere, or
// any nodes, in any order. At least two leaves have two nodes or more.
FlowNetwork random_placement(std::size_t nodes, std::size_t leaf, double uplink,
                             std::uint64_t seed);

struct FlowNoise {
  double each = 0.05;          // relative, of one time
  double outlier_rate = 0.02;  // of times up to eight times too long
  double slow_nodes = 0.05;    // of nodes whose NIC has 0.7 of the usual speed
};

// The rounds of a campaign: each node's message to the next three alone, then `passes` times all
// shifts of a shuffled order.
std::vector<FlowTime> measure_flows(FlowNetwork network, int passes, const FlowNoise& noise,
                                    std::uint64_t seed);

// Whether these groups are the network's leaves. Leaves that do not fill their uplink by far
// slow nothing: they may be one group.
bool are_leaves(const std::vector<std::vector<std::size_t>>& groups, const FlowNetwork& network);

}  // namespace nmt::planted
