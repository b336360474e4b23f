// SPDX-License-Identifier: BSD-3-Clause
//
// What all real rails of one campaign share at this end: buffers, the clock, the cores of both ends
// and what disturbs them.
#pragma once

#include <algorithm>

#include "core/clock.h"
#include "node/node.h"
#include "sampler/rail/buffers.h"
#include "sampler/rail/campaign.h"

namespace nmt::sampler {

inline std::size_t largest_exchange_bytes(const SamplingOptions& options) {
  return std::max(options.size_bytes_max, options.max_unexpected_bytes);
}

// One pair of ranks gets the two nearest cores of the machine. Of several, each end gets a core of
// its own as far as there are cores, also if both nodes are on one machine.
inline node::CorePair cores_of(const SamplingOptions& options) {
  if (options.ranks_per_node == 1) return node::nearest_cores();
  const std::vector<int> cores = node::spread_cores(node::allowed_cores());
  return {cores[options.rank % cores.size()],
          cores[(options.ranks_per_node + options.rank) % cores.size()]};
}

struct RailTime {
  explicit RailTime(const SamplingOptions& options)
      : buffers(largest_exchange_bytes(options), node::private_cache_bytes()),
        cores(cores_of(options)) {}

  Buffers buffers;
  RealClock clock;
  node::CorePair cores;
  node::InterferenceMeter meter{cores.near, cores.far};
};

}  // namespace nmt::sampler
