// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of an MPI_Alltoallv find out together before any of them moves data: each knows
// only what it sends itself and what it receives itself.
//
// All ranks sum up a few numbers, by recursive doubling. They learn how much data there is, in
// all and between groups, which decides on the algorithm, and whether what each rank sends is what
// the receiver expects: each block counts with a factor of its own, added by the sender and
// subtracted by the receiver, so that the sum is zero if all blocks agree, and any difference makes
// it something else (but for one in 2^64). Then all ranks get the Error, and none waits for data
// that does not come.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {

// In bytes, by rank.
struct UnequalSizes {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;
  bool are_too_large = false;  // to be ours; then the numbers mean nothing
};

// The same on all ranks.
struct AgreedSizes {
  std::uint64_t all_bytes = 0;
  // By which the algorithm is chosen: the mean block of that sample (collectives/collectives.h) in
  // which a byte is on average in as large a block as here. So a few large blocks count for what
  // they are, and empty ones do not count. Of blocks between groups; of all blocks if there is one
  // group; rounded up. 0, for the MPI's own, if so much more stays within groups that samples,
  // whose blocks are alike there, say nothing of this call.
  std::uint64_t typical_bytes = 0;
  bool are_too_large = false;  // on any rank
};

// Called by all ranks. Error on all of them if what one sends is not what another expects.
AgreedSizes agree_on_sizes(NodeHierarchy& hierarchy, const UnequalSizes& own);

}  // namespace nmt::collectives
