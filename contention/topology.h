// SPDX-License-Identifier: BSD-3-Clause
//
// Which nodes share a switch, and what leaves that switch: the cuts of a network.
//
// An exchange takes at least as long as its busiest cut. The cut around one node is its NIC, and
// the paper "alltoall contention" knows only that one (Proposition 1). The cut around a switch with
// k of the n ranks below it carries k (n - k) messages each way, over cables that together are
// `uplink` times as fast as one node's NIC. The cut that carries most for its speed is the bound;
// contention is what an exchange takes beyond it.
//
// A switch whose uplink is unknown bounds nothing, until with_uplink() states it or a fit finds it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::contention {

struct Switch {
  std::string name;
  std::vector<std::string> nodes;  // attached to this switch itself
  std::optional<std::size_t> parent;
  double uplink = 0;  // speed of all cables up, in NICs of a node; 0: not known
  bool operator==(const Switch&) const = default;
};

class Topology {
 public:
  // Throws Error(kUsage) for a node or switch that stands in two places, a parent that does not
  // exist, a cycle, and an uplink that is not positive and finite.
  explicit Topology(std::vector<Switch> switches);

  const std::vector<Switch>& switches() const { return switches_; }
  const std::vector<std::string>& nodes() const { return nodes_; }  // switch by switch

  bool has_all(std::span<const std::string> nodes) const;
  // Whether any switch below which only some of the nodes are has no known uplink.
  bool needs_uplink(std::span<const std::string> nodes) const;
  // Sets every unknown uplink.
  Topology with_uplink(double uplink) const;

  // What the busiest cut carries in an exchange between all ranks, of which each of `nodes` has as
  // many: transfers of one message over one NIC, one after the other. Error(kUsage) for a node that
  // is not here or is named twice.
  double transfers(std::span<const std::string> nodes, std::int64_t ranks_per_node) const;

  // The same where sizes differ: `load[i][j]` goes from the i-th of `nodes` to the j-th. The most
  // that leaves or enters what is below one switch, divided by its uplink; 0 without any uplink.
  double busiest_cut(std::span<const std::string> nodes,
                     const std::vector<std::vector<double>>& load) const;

  bool operator==(const Topology&) const = default;

 private:
  // How many of `nodes` are below each switch.
  std::vector<std::int64_t> counts_below(std::span<const std::string> nodes) const;

  std::vector<Switch> switches_;
  std::vector<std::string> nodes_;
  std::map<std::string, std::size_t, std::less<>> switch_of_;
};

// Reads Slurm's topology.conf (SwitchName=... Nodes=... or Switches=...), or the text that
// ibnetdiscover prints, whose cables also give each leaf switch its uplink. LinkSpeed of
// topology.conf has no defined unit and is ignored. `what` names the text in messages; a line that
// cannot be read throws Error(kUsage) with its number.
Topology read_topology(std::string_view text, std::string_view what);

}  // namespace nmt::contention
