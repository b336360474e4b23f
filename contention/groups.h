// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of nodes that share a switch, found by measuring: messages between the same two nodes take
// longer beside many others than alone where they share an uplink, and as long where they do not.
//
// A table of flows is enough: each node's message alone, and rounds in which every node sends to
// another one, so that each pair of nodes meets (N - 1 rounds of N nodes). Nodes whose messages to
// each other are slowed least are put together (average linkage); where to stop is where two means,
// one within groups and one between them, describe the slow-downs best. Half of the table proposes
// groups, and they count only if the other half confirms them: so a flat switch has none.
//
// One level of switches: of a tree of several, the one whose cut slows flows most. An uplink that
// the rounds never filled leaves no trace; then there are no groups, and none are needed for the
// sizes of jobs that were measured.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/flow_time.h"
#include "core/statistics.h"

namespace nmt::contention {

// Speed of a group's uplink, in NICs of a node, with its 95 % interval.
struct MeasuredUplink {
  double nics = 0;
  Interval interval;
  bool operator==(const MeasuredUplink&) const = default;
};

struct NodeGroups {
  std::vector<std::vector<std::size_t>> nodes;  // of each group, ascending; largest groups first
  double slow_down = 1;                         // of a flow between groups, beside one within
  // nullopt: flows between groups are slower, but not as if they shared one capacity (chance of
  // routes).
  std::optional<MeasuredUplink> uplink;
  bool operator==(const NodeGroups&) const = default;
};

// No group at all: the flows show none. Throws Error(kUsage) for a node that is not below `nodes`,
// a message to itself and a time that is not positive.
NodeGroups find_groups(std::span<const FlowTime> flows, std::size_t nodes);

// The speed of the uplinks of known groups.
std::optional<MeasuredUplink> uplink_of(std::span<const FlowTime> flows,
                                        const std::vector<std::vector<std::size_t>>& groups);

}  // namespace nmt::contention
