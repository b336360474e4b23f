// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of a job by many algorithms and segments, and by the MPI's own, for the choice among
// them at each size (tuner/segments.h).
//
// Over all ranks of the job, in shuffled rounds like alltoalls (sampler/job/alltoall.h). A way that
// is clearly slower than another for the same operation and size is given up after a round, so that
// the time goes to where the choice is close. All segments are tried with one algorithm and one
// leader of each node; the other algorithms with the segment that was best, and where nodes have
// NUMA nodes or sockets, other numbers of leaders with the algorithm that was best. Between two
// sizes where the choice changes, what is left of both is tried at one more size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "control/control.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt {

// One way to do an operation: "bcast", "chain", 64 KiB, one leader of each node. Of the algorithm
// "library", the MPI's own, there are no segments.
struct CollectiveWay {
  std::string operation;
  std::string algorithm;
  std::uint64_t segment_bytes = 0;
  std::int64_t leaders = 1;
  bool operator==(const CollectiveWay&) const = default;
};

struct CollectivesOptions {
  double budget_ns = 60e9;
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t seed = 1;
  // Does it, by all ranks; `to` has room for the size, times the ranks of an allgather. Throws.
  std::function<void(const CollectiveWay& way, std::uint64_t size_bytes, const std::byte* from,
                     std::byte* to)>
      run;
  std::vector<std::int64_t> other_leaders = {};  // how many a node could have beside one
};

// By all ranks; the observer is rank 0's, and null elsewhere. What is measured belongs to
// mpi_rail(). Error(kUsage) on all ranks where there is one rank only.
CampaignReport run_collectives(const control::MpiJob& job, const std::string& mpi_name,
                               const CollectivesOptions& options, Observer* observer);

}  // namespace nmt
