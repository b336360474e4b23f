// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/locality.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "core/fields.h"
#include "node/node.h"

namespace nmt::collectives {
namespace {

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

}  // namespace

bool is_before_in_ring(const Locality& one, const Locality& other) {
  return std::tie(one.socket, one.numa) < std::tie(other.socket, other.numa);
}

Locality locality_of(int core, MpiFamily mpi, const std::string& root) {
  const int numa = numa_of(core, root);
  return {
      .kernel = std::hash<std::string>{}(node::read_line(root + "/proc/sys/kernel/random/boot_id")),
      .platform = std::hash<std::string>{}(digest(node::fingerprint_for_collectives(root))),
      .socket = socket_of(core, root),
      .numa = numa,
      .near_network = numas_of_used_cards(mpi, root).contains(std::to_string(numa))};
}

}  // namespace nmt::collectives
