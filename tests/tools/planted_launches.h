// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of launches between two hosts, with planted durations: sizes from 1 to 64 KiB by two
// methods, with noise that a launch shares and some of each cell's own.
#pragma once

#include <random>
#include <string>

#include "tests/tools/sandbox.h"

namespace nmt::testing {

struct PlantedLaunch {
  std::string near = "node1", far = "node2";
  std::string date = "2026-11-20T10:00:00Z";
  std::string kernel = "6.1.1";
  double ratio = 1;             // of all durations
  double rendezvous_ratio = 1;  // of those by rendezvous, on top
  std::string rail = "e0", mtu = "1500";
  std::string remark;     // of its campaign
  int ranks_per_nic = 1;  // that sent at once
  bool decides = false;   // with eager messages, which cost as a copy does: there is a threshold
};

class PlantedLaunches : public Sandbox {
 protected:
  void add(const std::string& file, const PlantedLaunch& launch, std::mt19937_64& random) const;
  // Adds them to the profile of this name, and returns its path.
  std::string history(const std::string& name, int launches, const PlantedLaunch& launch,
                      std::uint64_t seed) const;
};

}  // namespace nmt::testing
