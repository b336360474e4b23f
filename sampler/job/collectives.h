// SPDX-License-Identifier: BSD-3-Clause
//
// Measures collectives of a job with many algorithms and segments, and with the MPI's own, so that
// the best can be chosen for each size (tuner/segments.h).
//
// All ranks of the job, or of a part of it (control::JobPart), take part, in shuffled rounds as for
// alltoalls (sampler/job/alltoall.h). A way that is clearly slower than another for the same
// operation and size is given up after a round, so that time is spent where the choice is close.
// The campaign tries, in this order and with one leader per node where it says nothing else:
// - all algorithms with a small and a large segment, and what the MPI chooses itself,
// - the best algorithm with the other segments,
// - the other algorithms of the MPI, whole and with the best segment of ours,
// - if nodes have NUMA nodes or sockets, other numbers of leaders with our best algorithm,
// - one more size between two sizes where the choice changes, with the ways that remain at both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/control.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt::sampler {

// One way to run an operation: "bcast", "chain", 64 KiB, one leader per node. The algorithm
// "library", what the MPI chooses, has no segments. Most of the MPI's others ("library:ring") have
// none either.
struct CollectiveWay {
  std::string operation;
  std::string algorithm;
  std::uint64_t segment_bytes = 0;
  std::int64_t leaders = 1;
  bool operator==(const CollectiveWay&) const = default;
};

std::vector<std::string> sampled_operations();
// The segments that a campaign compares, in bytes, besides the whole message; none of a barrier.
std::span<const std::uint64_t> segments_bytes_of(std::string_view operation);

struct CollectivesOptions {
  double budget_ns = 60e9;
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t seed = 1;
  // Runs it; called by all ranks. `from` and `to` have space for the size, times the ranks if there
  // are blocks of each (core/collective_sample.h). Throws.
  std::function<void(const CollectiveWay& way, std::uint64_t size_bytes, const std::byte* from,
                     std::byte* to)>
      run;
  std::vector<std::string> operations = sampled_operations();
  std::vector<std::int64_t> other_leaders = {};  // other possible numbers of leaders per node
  // By operation, the MPI's algorithms that can be set in this job: "library:ring". The same on all
  // ranks.
  std::map<std::string, std::vector<std::string>> library_algorithms = {};
};

// Called by all ranks; `observer` is used on rank 0 and null elsewhere. Samples belong to
// mpi_rail(). Error(kUsage) on all ranks if there is only one rank.
CampaignReport run_collectives(const control::MpiJob& job, const std::string& mpi_name,
                               const CollectivesOptions& options, Observer* observer);

}  // namespace nmt::sampler
