// SPDX-License-Identifier: BSD-3-Clause
//
// How long one end of a rail waits before it counts the other end as lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "sampler/rail/benchmark.h"

namespace nmt::sampler {

inline constexpr std::uint64_t kPeerTimeoutNs = 5'000'000'000;
inline constexpr unsigned kPollsPerCheck = 4096;  // checks clock and peer once in this many polls

// For a partner on another node, whose polls may sleep in between.
inline constexpr unsigned kRemotePollsPerCheck = 256;

// Time limit without any completion: the longest that the block's largest exchange may need, on a
// rail that `ranks` ranks share.
inline std::uint64_t exchange_timeout_ns(std::span<const Step> block, std::uint32_t ranks = 1) {
  constexpr double kSlowestBytesPerNs = 0.005;  // 5 MB/s
  std::uint64_t largest_bytes = 0;
  for (const Step& step : block)
    largest_bytes = std::max(largest_bytes, step.experiment.size_bytes);
  return kPeerTimeoutNs +
         static_cast<std::uint64_t>(2 * kPacketsPerDirectionMax * ranks *
                                    static_cast<double>(largest_bytes) / kSlowestBytesPerNs);
}

}  // namespace nmt::sampler
