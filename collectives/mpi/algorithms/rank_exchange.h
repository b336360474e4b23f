// SPDX-License-Identifier: BSD-3-Clause
//
// An alltoall in which each block is a message of its own, from memory to memory, in the rounds of
// collectives/rank_rounds.h: no rank copies anything, but there are more messages than between
// nodes.
#pragma once

#include <cstdint>

#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "collectives/node_exchange.h"

namespace nmt::collectives {

// The bytes of one rank's blocks: equal, or by rank.
struct BlockSizes {
  std::uint64_t each_bytes = 0;
  const std::uint64_t* by_rank = nullptr;

  std::uint64_t of(int rank) const { return by_rank == nullptr ? each_bytes : by_rank[rank]; }
};

// `window`: how many messages of a rank are under way each way. 1 is in lockstep: a rank begins a
// round when its messages of the round before are through, and sends to another node after the
// receiver has said that it has begun the round too. So only one node at a time sends to a network
// card, and no queue in front of the card overflows. Blocks are cut into segments; 0: not cut.
void exchange_by_ranks(NodeHierarchy& hierarchy, const SentBlocks& from, const BlockSizes& sent,
                       const ReceivedBlocks& to, const BlockSizes& received, std::uint64_t window,
                       std::uint64_t segment_bytes);

}  // namespace nmt::collectives
