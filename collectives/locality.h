// SPDX-License-Identifier: BSD-3-Clause
//
// Where this process runs, for the choice of leaders. Plain data, so that it can be sent.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/used_cards.h"

namespace nmt::collectives {

struct Locality {
  std::uint64_t kernel = 0;    // the kernel it runs under; several hosts of a lab share one
  std::uint64_t platform = 0;  // equal on nodes that are alike: most of node/fingerprint.h
  int socket = 0;              // of its core
  int numa = 0;                // of its core
  bool near_network = false;   // a network card that the MPI uses is attached to that NUMA node
};

// Orders the ranks of a node for a ring: sockets one after the other, and the NUMA nodes of each,
// so that it crosses each border once on its way.
bool is_before_in_ring(const Locality& one, const Locality& other);

// For a process that stays on `core`, the first core that it may use. Which cards count:
// used_cards.h. `root` is prefixed to /proc and /sys, so that tests run on descriptions of other
// machines.
Locality locality_of(int core, MpiFamily mpi, const std::string& root = "");

}  // namespace nmt::collectives
