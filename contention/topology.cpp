// SPDX-License-Identifier: BSD-3-Clause
#include "contention/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/alltoall.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(Fault::kUsage, message); }

void check_parents(const std::vector<Switch>& switches) {
  for (std::size_t i = 0; i < switches.size(); ++i) {
    std::size_t steps = 0;
    for (std::optional<std::size_t> up = switches[i].parent; up; up = switches[*up].parent) {
      if (*up >= switches.size()) {
        refuse(fmt::format("switch {} is below a switch that does not exist", switches[i].name));
      }
      if (++steps > switches.size()) {
        refuse(
            fmt::format("switch {} is below itself: the topology has a cycle", switches[i].name));
      }
    }
  }
}

}  // namespace

Topology::Topology(std::vector<Switch> switches) : switches_(std::move(switches)) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const Switch& one = switches_[i];
    if (!names.insert(one.name).second) refuse(fmt::format("switch {} is named twice", one.name));
    if (!(std::isfinite(one.uplink) && one.uplink >= 0)) {
      refuse(fmt::format("switch {}: an uplink of {} NICs; give a number above 0", one.name,
                         one.uplink));
    }
    for (const std::string& node : one.nodes) {
      const auto [known, added] = switch_of_.emplace(node, i);
      if (!added) {
        refuse(fmt::format("node {} is on switch {} and on switch {}; a node has one place", node,
                           switches_[known->second].name, one.name));
      }
      nodes_.push_back(node);
    }
  }
  check_parents(switches_);
  if (nodes_.empty()) refuse("the topology has no nodes");
}

std::vector<std::int64_t> Topology::counts_below(std::span<const std::string> nodes) const {
  std::vector<std::int64_t> below(switches_.size(), 0);
  std::set<std::string_view> seen;
  for (const std::string& node : nodes) {
    const auto place = switch_of_.find(node);
    if (place == switch_of_.end()) {
      refuse(fmt::format("node {} is not in the topology, which begins with {}", node,
                         nodes_.front()));
    }
    if (!seen.insert(node).second) refuse(fmt::format("node {} is named twice", node));
    for (std::optional<std::size_t> at = place->second; at; at = switches_[*at].parent)
      ++below[*at];
  }
  return below;
}

bool Topology::has_all(std::span<const std::string> nodes) const {
  return std::ranges::all_of(nodes,
                             [&](const std::string& node) { return switch_of_.contains(node); });
}

bool Topology::needs_uplink(std::span<const std::string> nodes) const {
  const std::vector<std::int64_t> below = counts_below(nodes);
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const bool cut = below[i] > 0 && below[i] < static_cast<std::int64_t>(nodes.size());
    if (cut && switches_[i].uplink <= 0) return true;
  }
  return false;
}

Topology Topology::with_uplink(double uplink) const {
  if (!(std::isfinite(uplink) && uplink > 0)) {
    refuse(fmt::format("an uplink of {} NICs; give a number above 0", uplink));
  }
  Topology changed = *this;
  for (Switch& one : changed.switches_) {
    if (one.uplink <= 0) one.uplink = uplink;
  }
  return changed;
}

double Topology::busiest_cut(std::span<const std::string> nodes,
                             const std::vector<std::vector<double>>& load) const {
  counts_below(nodes);  // refuses unknown nodes
  // The switches of a pair are left upwards until both are at the same one, which may be none: what
  // is above a switch without a parent.
  const std::size_t none = switches_.size();
  const auto above = [&](std::size_t at) { return switches_[at].parent.value_or(none); };
  std::vector<std::size_t> depth(none + 1, 0);
  for (std::size_t s = 0; s < none; ++s) {
    for (std::size_t at = s; at != none; at = above(at)) ++depth[s];
  }
  std::vector<std::size_t> place;
  for (const std::string& node : nodes) place.push_back(switch_of_.find(node)->second);
  std::vector<double> up(none, 0), down(none, 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      for (std::size_t from = place[i], to = place[j]; from != to;) {
        const bool from_is_lower = depth[from] >= depth[to];
        std::size_t& lower = from_is_lower ? from : to;
        (from_is_lower ? up : down)[lower] += load[i][j];
        lower = above(lower);
      }
    }
  }
  double most = 0;
  for (std::size_t s = 0; s < none; ++s) {
    if (switches_[s].uplink <= 0) continue;
    most = std::max(most, std::max(up[s], down[s]) / switches_[s].uplink);
  }
  return most;
}

double Topology::transfers(std::span<const std::string> nodes, std::int64_t ranks_per_node) const {
  const std::vector<std::int64_t> below = counts_below(nodes);
  const double p = static_cast<double>(ranks_per_node);
  const double all = static_cast<double>(nodes.size());
  double most =
      messages_of(static_cast<std::int64_t>(nodes.size()) * ranks_per_node, ranks_per_node);
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i].uplink <= 0) continue;
    const double k = static_cast<double>(below[i]);
    most = std::max(most, p * k * p * (all - k) / switches_[i].uplink);
  }
  return most;
}

}  // namespace nmt::contention
