// SPDX-License-Identifier: BSD-3-Clause
//
// What registration does to the rendezvous threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"

namespace nmt {

// Memory that a rendezvous has to register first, at each end, and from which size on it pays
// nevertheless. Sizes between the measured ones by interpolation.
struct Registration {
  std::string rail;
  std::string regime;
  std::string placement;
  struct Cost {
    std::uint64_t size_bytes = 0;
    double cold_ns = 0;    // memory that the rail never saw
    double cached_ns = 0;  // that it knows
  };
  std::vector<Cost> costs;
  std::optional<std::uint64_t> rendezvous_cached_bytes;  // nullopt: never
  std::optional<std::uint64_t> rendezvous_cold_bytes;
};
std::vector<Registration> registrations(const Plan& plan);  // of rails that register

}  // namespace nmt
