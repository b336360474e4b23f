// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of nodes by name: as a profile keeps what find_groups() found, and as a topology.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contention/groups.h"
#include "contention/topology.h"

namespace nmt::contention {

struct NamedGroups {
  std::vector<std::vector<std::string>> nodes;  // largest groups first
  std::optional<MeasuredUplink> uplink;
  bool operator==(const NamedGroups&) const = default;
};
// `hosts` names the nodes of `groups`, by index.
NamedGroups named(const NodeGroups& groups, std::span<const std::string> hosts);

// "a1,a2;b1,b2 uplink=4.1,3.9,4.3": the uplink with its interval, where one was found.
// Error(kUsage) for any other text.
std::string to_text(const NamedGroups& groups);    // "none" without any group
std::string described(const NamedGroups& groups);  // for people, in one line
NamedGroups named_groups_from(const std::string& text);

// Of several jobs: a group takes in one of the jobs before it where it has most of that one's nodes
// that the job has. A node is in one group only. The uplink is the median one.
NamedGroups united(std::span<const NamedGroups> jobs);

// Switches "group1", "group2" ... with the uplink; 0, not known, without one.
Topology topology_of(const NamedGroups& groups);

// With enough nodes for `nodes` of them: more groups like the largest one, of invented names.
// Error(kUsage) for more than kHostsMax.
Topology enlarged(const Topology& groups, std::size_t nodes);

}  // namespace nmt::contention
