// SPDX-License-Identifier: BSD-3-Clause
//
// The clocks of all nodes of a job against that of rank 0, compared twice.
//
// The lowest rank of each node answers rank 0's questions; of several answers the quickest counts.
// What lies between the two comparisons is on a line through both, so drift that is not even stays
// as an error, and so does half of what the ways there and back differ by.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

namespace nmt::collectives {

class NodeClocks {
 public:
  // By all ranks of `comm`, each of which runs on the node with that lowest rank; MpiFailure.
  void compare(MPI_Comm comm, const std::vector<int>& node_of_rank);

  // On rank 0, after two comparisons: the time of its own clock.
  std::int64_t at_rank_0(int node, std::int64_t time_ns) const;

 private:
  struct Comparison {
    std::int64_t time_ns = 0;   // by the node's clock
    std::int64_t ahead_ns = 0;  // of rank 0's
  };
  std::map<int, std::vector<Comparison>> by_node_;
};

}  // namespace nmt::collectives
