// SPDX-License-Identifier: BSD-3-Clause
//
// Where this process runs, for the choice of leaders. Plain data, so that it can be sent.
#pragma once

#include <cstdint>
#include <string>

namespace nmt::collectives {

struct Locality {
  std::uint64_t kernel = 0;   // the kernel it runs under; several hosts of a lab share one
  int socket = 0;             // of its core
  int numa = 0;               // of its core
  bool near_network = false;  // a network card that the MPI uses is attached to that NUMA node
};

// Orders the ranks of a node for a ring: sockets one after the other, and the NUMA nodes of each,
// so that it crosses each border once on its way.
bool is_before_in_ring(const Locality& one, const Locality& other);

// The MPI uses the cards that the user names (UCX_NET_DEVICES, OMPI_MCA_btl_tcp_if_include,
// FI_TCP_IFACE). If the user names none, it uses InfiniBand and RoCE cards with an active port; if
// there are none, all cards that are up. Among several cards the MPI takes one near the process, so
// each of them counts for `near_network`.
//
// For a process that stays on `core`, the first core that it may use. `root` is prefixed to /proc
// and /sys, so that tests run on descriptions of other machines.
Locality locality_of(int core, const std::string& root = "");

}  // namespace nmt::collectives
