// SPDX-License-Identifier: BSD-3-Clause
//
// The clocks of all nodes of a job compared with that of rank 0, twice.
//
// The lowest rank of each node answers rank 0's questions; the quickest of several answers counts.
// Times between the two comparisons are interpolated linearly. So drift that is not linear remains
// as an error, and so does half of the difference between the two transit times.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

namespace nmt::collectives {

class NodeClocks {
 public:
  // Called by all ranks of `comm`. `node_of_rank`: the lowest rank of each rank's node. MpiFailure.
  void compare(MPI_Comm comm, const std::vector<int>& node_of_rank);

  // On rank 0, after two comparisons: converts to rank 0's clock.
  std::int64_t at_rank_0(int node, std::int64_t time_ns) const;

 private:
  struct Comparison {
    std::int64_t time_ns = 0;   // by the node's clock
    std::int64_t ahead_ns = 0;  // difference to rank 0's clock
  };
  std::map<int, std::vector<Comparison>> by_node_;
};

}  // namespace nmt::collectives
