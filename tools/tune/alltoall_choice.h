// SPDX-License-Identifier: BSD-3-Clause
//
// Which algorithm libnmadtune-mpi.so takes for an alltoall, and what it gains, by the profile's
// rules for the shape, sampled or predicted (tools/tune/predict_collectives.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tune/predict_collectives.h"

namespace nmt::tools {

struct AlltoallChoice {
  std::string algorithm;  // "library": the MPI's own
  double gain = 1;        // duration of the MPI's own over that of this algorithm
  bool predicted = false;
  std::string mpi;
};

// Of alltoalls that were sampled to choose, under the MPI that was sampled last.
std::vector<tuner::CollectiveCell> alltoall_cells(std::span<const SampleSet> sets);

class AlltoallChoices {
 public:
  AlltoallChoices() = default;
  AlltoallChoices(std::vector<tuner::CollectiveCell> cells, Plan plan);

  bool known() const { return !cells_.empty(); }

  // By the times of the nearest size that was sampled. nullopt where the ranks do not fill nodes,
  // or nothing is known of the shape.
  std::optional<AlltoallChoice> at(std::int64_t ranks, std::int64_t ranks_per_node,
                                   std::uint64_t size_bytes) const;

 private:
  std::vector<tuner::CollectiveCell> cells_;
  Plan plan_;
};

}  // namespace nmt::tools
