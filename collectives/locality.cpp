// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/locality.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "node/node.h"

namespace nmt::collectives {
namespace {

namespace fs = std::filesystem;

int numa_of(int core, const std::string& root) {
  const std::string nodes = root + "/sys/devices/system/node";
  for (const int node : node::parse_list(node::read_line(nodes + "/online"))) {
    const std::vector<int> cores =
        node::parse_list(node::read_line(nodes + "/node" + std::to_string(node) + "/cpulist"));
    if (std::ranges::find(cores, core) != cores.end()) return node;
  }
  return 0;
}

int socket_of(int core, const std::string& root) {
  const std::string socket =
      node::read_line(root + "/sys/devices/system/cpu/cpu" + std::to_string(core) +
                      "/topology/physical_package_id");
  return std::max(0, std::atoi(socket.c_str()));  // -1: unknown
}

// "mlx5_0:1,eth0" names mlx5_0 and eth0.
std::set<std::string> named_cards() {
  std::set<std::string> names;
  for (const char* variable : {"UCX_NET_DEVICES", "OMPI_MCA_btl_tcp_if_include", "FI_TCP_IFACE"}) {
    const char* value = std::getenv(variable);
    std::istringstream list(value == nullptr ? "" : value);
    for (std::string name; std::getline(list, name, ',');) {
      names.insert(name.substr(0, name.find(':')));
    }
  }
  return names;
}

bool has_active_port(const fs::path& card) {
  std::error_code absent;
  for (const fs::directory_entry& port : fs::directory_iterator(card / "ports", absent)) {
    if (node::read_line((port.path() / "state").string()).starts_with("4:")) return true;
  }
  return false;
}

bool is_up(const fs::path& card) { return node::read_line((card / "operstate").string()) == "up"; }

// Of those of one kind for which `is_used` holds: the NUMA node of each, "" where there is none.
template <class IsUsed>
std::set<std::string> numas_of_cards(const std::string& folder, IsUsed&& is_used) {
  std::set<std::string> numas;
  std::error_code absent;
  for (const fs::directory_entry& card : fs::directory_iterator(folder, absent)) {
    if (!is_used(card.path())) continue;
    numas.insert(node::read_line((card.path() / "device/numa_node").string()));
  }
  return numas;
}

// What has no device of its own (lo, a bridge) is near no NUMA node.
bool has_network(int numa, const std::string& root) {
  const std::string fabric = root + "/sys/class/infiniband", net = root + "/sys/class/net";
  const std::set<std::string> names = named_cards();
  const auto is_named = [&](const fs::path& card) {
    return names.contains(card.filename().string());
  };
  std::set<std::string> numas = numas_of_cards(fabric, is_named);
  numas.merge(numas_of_cards(net, is_named));
  if (numas.empty()) numas = numas_of_cards(fabric, has_active_port);
  if (numas.empty()) numas = numas_of_cards(net, is_up);
  return numas.contains(std::to_string(numa));
}

}  // namespace

bool is_before_in_ring(const Locality& one, const Locality& other) {
  return std::tie(one.socket, one.numa) < std::tie(other.socket, other.numa);
}

Locality locality_of(int core, const std::string& root) {
  const int numa = numa_of(core, root);
  return {
      .kernel = std::hash<std::string>{}(node::read_line(root + "/proc/sys/kernel/random/boot_id")),
      .socket = socket_of(core, root),
      .numa = numa,
      .near_network = has_network(numa, root)};
}

}  // namespace nmt::collectives
