// SPDX-License-Identifier: BSD-3-Clause
//
// Compares rails in use at the same time with each of them alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"

namespace nmt::tuner {

// Bandwidth of one of several rails for messages of one size, alone and while the others are busy.
struct RailSpeed {
  std::string rail;
  double alone_bytes_per_second = 0;
  double concurrent_bytes_per_second = 0;
};
struct ConcurrentBandwidth {
  std::string regime;
  std::string placement;
  std::uint64_t size_bytes = 0;
  std::vector<RailSpeed> rails;

  double share_of_sum() const;  // 1: simultaneous use costs nothing
};
// For every set of rails of which each was measured beside all others, at some large sizes.
std::vector<ConcurrentBandwidth> concurrent_bandwidths(const Plan& plan);

}  // namespace nmt::tuner
