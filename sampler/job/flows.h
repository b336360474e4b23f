// SPDX-License-Identifier: BSD-3-Clause
//
// Measures messages between nodes, alone and beside others, for the groups of nodes that share a
// switch (contention/groups.h).
//
// First each node's message to the next three of a shuffled order, alone. Then rounds in which
// every node sends to another one: all shifts of a shuffled order, so that N - 1 rounds have each
// of the N (N - 1) pairs once, whatever the order of the hosts says about switches; then those of
// another order, until the budget is spent. The first rank of each node acts for it.
#pragma once

#include <cstdint>
#include <vector>

#include "control/control.h"
#include "core/flow_time.h"
#include "sampler/job/executor.h"
#include "sampler/observer.h"

namespace nmt::sampler {

struct FlowOptions {
  double budget_ns = 5e9;
  std::uint64_t seed = 1;
};

// Called by all ranks; `observer` is used on rank 0, which alone gets the flows, and null
// elsewhere. Nodes are those of JobShape, in order. Fewer than three nodes have nothing to compare:
// no flows.
std::vector<FlowTime> run_flows(const control::MpiJob& job, const FlowOptions& options,
                                Observer* observer);

// The receiver of each node in the round `shift` of this order of nodes.
std::vector<std::int32_t> shifted(const std::vector<std::int32_t>& order, std::size_t shift);

}  // namespace nmt::sampler
