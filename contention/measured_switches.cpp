// SPDX-License-Identifier: BSD-3-Clause
#include "contention/measured_switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "contention/hosts.h"
#include "contention/named_groups.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

// The nodes of each job, together with those of jobs that have some of the same.
NamedGroups nodes_of_jobs(const AlltoallTimes& measured) {
  std::vector<NamedGroups> jobs;
  for (const auto& [session, hosts] : measured.hosts) {
    jobs.push_back({.nodes = {hosts}, .uplink = {}});
  }
  NamedGroups all = united(jobs);
  // Ranks whose nodes have no names are on the first ones: so there have to be enough.
  std::int64_t ranks = 1;
  for (const AlltoallTime& time : measured.times) ranks = std::max(ranks, time.ranks);
  const auto needed = static_cast<std::size_t>((ranks - 1) / measured.ranks_per_node + 1);
  const std::size_t nodes = std::min(needed, kHostsMax);
  if (all.nodes.empty()) all.nodes.emplace_back();
  std::vector<std::string>& first = all.nodes.front();
  while (first.size() < nodes) first.push_back(fmt::format("node {}", first.size() + 1));
  return all;
}

void take_one_switch_for_each_job(AlltoallTimes* measured) {
  NamedGroups jobs = nodes_of_jobs(*measured);
  jobs.uplink = measured->groups->uplink;
  measured->topology = topology_of(jobs);
  measured->remarks.push_back(
      jobs.uplink ? "no groups of nodes were found: the nodes of a job are taken to share a switch"
                  : "no groups of nodes were found: what was measured says nothing of switches' "
                    "uplinks, and predictions for more nodes are refused");
}

void leave_out_other_nodes(AlltoallTimes* measured) {
  std::set<std::uint32_t> all, elsewhere;
  for (const AlltoallTime& time : measured->times) {
    all.insert(time.session);
    const auto hosts = measured->hosts.find(time.session);
    if (hosts == measured->hosts.end() || measured->topology->has_all(hosts->second)) continue;
    elsewhere.insert(time.session);
  }
  if (elsewhere.empty()) return;
  constexpr char kWhy[] = "no groups of nodes were found on some of their nodes";
  if (elsewhere.size() == all.size()) {
    throw Error(Fault::kUsage, fmt::format("all alltoalls were left out: {}; look for groups there "
                                           "with mpirun nmad-sample --parts alltoall",
                                           kWhy));
  }
  std::erase_if(measured->times,
                [&](const AlltoallTime& time) { return elsewhere.contains(time.session); });
  measured->remarks.push_back(fmt::format("alltoalls of {} of {} sessions were left out: {}",
                                          elsewhere.size(), all.size(), kWhy));
}

void take_groups(AlltoallTimes* measured) {
  const NamedGroups& groups = *measured->groups;
  measured->topology = topology_of(groups);
  // Flows that no uplink bounded say so better than alltoalls do.
  if (!groups.uplink) {
    const auto nodes = static_cast<double>(measured->topology->nodes().size());
    measured->topology = measured->topology->with_uplink(nodes);
  }
  leave_out_other_nodes(measured);
}

}  // namespace

AlltoallTimes with_measured_switches(AlltoallTimes measured) {
  if (!measured.groups) return measured;
  const std::optional<MeasuredUplink> uplink = measured.groups->uplink;
  if (!measured.topology) {
    if (measured.groups->nodes.empty()) {
      take_one_switch_for_each_job(&measured);
    } else {
      take_groups(&measured);
    }
    measured.groups_measured = true;
    measured.uplink_measured = uplink;
  } else if (uplink && measured.topology->needs_uplink(measured.topology->nodes())) {
    measured.topology = measured.topology->with_uplink(uplink->nics);
    measured.uplink_measured = uplink;
  }
  return measured;
}

}  // namespace nmt::contention
