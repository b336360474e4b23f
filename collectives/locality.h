// SPDX-License-Identifier: BSD-3-Clause
//
// Where this process runs, as far as the choice of leaders goes. Plain, so that it can be sent.
#pragma once

#include <cstdint>
#include <string>

namespace nmt::collectives {

struct Locality {
  std::uint64_t kernel = 0;   // which it runs under; several hosts of a lab have one
  int socket = 0;             // of its core
  int numa = 0;               // the node of its core
  bool near_network = false;  // a network card hangs on that node
};

// Of a process that stays on `core`, the first it may use. `root` is prefixed to /proc and /sys, so
// that tests run on descriptions of other machines.
Locality locality_of(int core, const std::string& root = "");

}  // namespace nmt::collectives
