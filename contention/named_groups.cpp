// SPDX-License-Identifier: BSD-3-Clause
#include "contention/named_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "contention/hosts.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

constexpr char kNone[] = "none";
constexpr char kUplink[] = " uplink=";

[[noreturn]] void refuse(const std::string& text) {
  throw Error(Fault::kUsage,
              fmt::format("'{}' are no groups of nodes; write a1,a2;b1,b2", text.substr(0, 60)));
}

MeasuredUplink uplink_from(const std::string& text) {
  double values[3] = {};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (double& value : values) {
    if (&value != values && (at == end || *at++ != ',')) refuse(text);
    const auto result = std::from_chars(at, end, value);
    if (result.ec != std::errc() || !(value > 0)) refuse(text);
    at = result.ptr;
  }
  if (at != end) refuse(text);
  return {values[0], {values[1], values[2]}};
}

std::set<std::string> nodes_in(const NamedGroups& groups) {
  std::set<std::string> all;
  for (const auto& group : groups.nodes) all.insert(group.begin(), group.end());
  return all;
}

// How many of `group` are among `others`.
template <class Nodes>
std::size_t shared(const std::vector<std::string>& group, const Nodes& others) {
  return static_cast<std::size_t>(std::ranges::count_if(group, [&](const std::string& node) {
    return std::ranges::find(others, node) != others.end();
  }));
}

void order(NamedGroups& groups) {
  std::erase_if(groups.nodes, [](const auto& group) { return group.empty(); });
  std::ranges::stable_sort(groups.nodes, std::greater<>(), &std::vector<std::string>::size);
}

// "3 nodes (n1, n3, n5)". Nodes are named one by one, since "n1 .. n5" would seem to have n2 in it.
std::string described(const std::vector<std::string>& group) {
  constexpr std::size_t kNamed = 16;
  const auto some = std::span(group).first(std::min(group.size(), kNamed));
  const std::size_t more = group.size() - some.size();
  return fmt::format("{} node{} ({}{})", group.size(), group.size() == 1 ? "" : "s",
                     fmt::join(some, ", "), more > 0 ? fmt::format(", {} more", more) : "");
}

// Adds one job's groups to those of the jobs before it. A group may join parts that no job before
// had together.
void add(const NamedGroups& job, NamedGroups* all) {
  const std::set<std::string> known = nodes_in(*all);
  const std::set<std::string> own = nodes_in(job);
  for (const std::vector<std::string>& group : job.nodes) {
    std::vector<std::string> joined;
    for (std::vector<std::string>& other : all->nodes) {
      const std::size_t both = shared(group, other);
      if (2 * both <= shared(other, own)) continue;
      std::ranges::move(std::exchange(other, {}), std::back_inserter(joined));
    }
    for (const std::string& node : group) {
      if (!known.contains(node)) joined.push_back(node);
    }
    all->nodes.push_back(std::move(joined));
  }
  order(*all);
}

}  // namespace

NamedGroups named(const NodeGroups& groups, std::span<const std::string> hosts) {
  NamedGroups result{.nodes = {}, .uplink = groups.uplink};
  for (const auto& group : groups.nodes) {
    std::vector<std::string>& names = result.nodes.emplace_back();
    for (const std::size_t node : group) names.push_back(hosts[node]);
  }
  return result;
}

std::string to_text(const NamedGroups& groups) {
  if (groups.nodes.empty()) return kNone;
  std::string text;
  for (const auto& group : groups.nodes) {
    text += fmt::format("{}{}", text.empty() ? "" : ";", fmt::join(group, ","));
  }
  if (groups.uplink) {
    const MeasuredUplink& uplink = *groups.uplink;
    text += fmt::format("{}{:.4g},{:.4g},{:.4g}", kUplink, uplink.nics, uplink.interval.low,
                        uplink.interval.high);
  }
  return text;
}

std::string described(const NamedGroups& groups) {
  if (groups.nodes.empty()) return "no nodes share a switch whose uplink slowed their messages";
  std::vector<std::string> all;
  for (const auto& group : groups.nodes) all.push_back(described(group));
  return fmt::format(
      "nodes share switches: {}; {}", fmt::join(all, ", "),
      groups.uplink ? fmt::format("an uplink carries as much as {:.3g} NICs ({:.3g} .. {:.3g})",
                                  groups.uplink->nics, groups.uplink->interval.low,
                                  groups.uplink->interval.high)
                    : "the capacity of their uplinks was not reached");
}

NamedGroups named_groups_from(const std::string& text) {
  NamedGroups groups;
  if (text == kNone) return groups;
  const std::size_t end = std::min(text.find(kUplink), text.size());
  for (std::size_t from = 0; from < end;) {
    const std::size_t to = std::min(text.find(';', from), end);
    groups.nodes.push_back(expand_hosts(text.substr(from, to - from)));
    from = to + 1;
  }
  if (groups.nodes.empty()) refuse(text);
  if (end < text.size()) groups.uplink = uplink_from(text.substr(end + sizeof kUplink - 1));
  return groups;
}

NamedGroups united(std::span<const NamedGroups> jobs) {
  NamedGroups all;
  std::vector<double> nics, low, high;
  for (const NamedGroups& job : jobs) {
    add(job, &all);
    if (!job.uplink) continue;
    nics.push_back(job.uplink->nics);
    low.push_back(job.uplink->interval.low);
    high.push_back(job.uplink->interval.high);
  }
  if (!nics.empty()) all.uplink = MeasuredUplink{median(nics), {median(low), median(high)}};
  return all;
}

Topology topology_of(const NamedGroups& groups) {
  std::vector<Switch> switches;
  for (const auto& group : groups.nodes) {
    switches.push_back({.name = fmt::format("group{}", switches.size() + 1),
                        .nodes = group,
                        .parent = {},
                        .uplink = groups.uplink ? groups.uplink->nics : 0});
  }
  return Topology(std::move(switches));
}

Topology enlarged(const Topology& groups, std::size_t nodes) {
  if (groups.nodes().size() >= nodes) return groups;
  if (nodes > kHostsMax) {
    throw Error(Fault::kUsage, fmt::format("{} nodes: groups of nodes go on alike up to {} nodes",
                                           nodes, kHostsMax));
  }
  std::vector<Switch> switches = groups.switches();
  const auto largest =
      std::ranges::max_element(switches, {}, [](const Switch& one) { return one.nodes.size(); });
  const Switch like = *largest;
  // Whole ones before what is left of others, which only some nodes of the job were on.
  const auto whole = [&](const Switch& one) { return one.nodes.size() >= like.nodes.size(); };
  const auto rest = std::stable_partition(switches.begin(), switches.end(), whole);
  std::vector<Switch> parts(rest, switches.end());
  switches.erase(rest, switches.end());
  std::size_t whole_nodes = switches.size() * like.nodes.size();
  for (; whole_nodes < nodes; whole_nodes += like.nodes.size()) {
    Switch& more = switches.emplace_back(like);
    more.name = fmt::format("like {} ({})", like.name, switches.size());
    for (std::size_t i = 0; i < more.nodes.size(); ++i) {
      more.nodes[i] = fmt::format("{}, node {}", more.name, i + 1);
    }
  }
  switches.insert(switches.end(), parts.begin(), parts.end());
  return Topology(std::move(switches));
}

}  // namespace nmt::contention
