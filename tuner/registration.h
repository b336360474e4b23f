// SPDX-License-Identifier: BSD-3-Clause
//
// The effect of registration on the rendezvous threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"

namespace nmt::tuner {

// Cost of registering memory for a rendezvous at each end, and the size from which a rendezvous
// pays nevertheless. Between measured sizes it is interpolated.
struct Registration {
  std::string rail;
  std::string regime;
  std::string placement;
  struct Cost {
    std::uint64_t size_bytes = 0;
    double cold_ns = 0;    // memory that is new to the rail
    double cached_ns = 0;  // memory that the rail knows
  };
  std::vector<Cost> costs;
  std::optional<std::uint64_t> rendezvous_cached_bytes;  // nullopt: never
  std::optional<std::uint64_t> rendezvous_cold_bytes;
};
std::vector<Registration> registrations(const Plan& plan);  // only rails that register memory

}  // namespace nmt::tuner
