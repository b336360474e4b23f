// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the algorithms of an MPI for one collective with its own choice, by number of ranks and
// size, in one launch.
//
// Open MPI reads which algorithm to use whenever a communicator is made. So each candidate has its
// own communicator, and all take turns within rounds, milliseconds apart. Candidates of another
// component than the one that Open MPI asks first have communicators that prefer it; the segments
// of coll/han are variables that it reads in each call, where it lets them be set. MPICH reads its
// tables once, when a job starts. So its tables select by size: each candidate's messages are some
// bytes shorter than those of the next one (stacks/mpich_tables.h). A candidate that is much
// slower is no longer measured; its time goes to candidates near the best. A duration is from the
// first rank's start to the last rank's end (sampler/job/clock.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"

namespace nmt::sampler {

// From this number on: the own choice of the first of CollectivesOrder::components, the second ...
inline constexpr int kComponentsOwnChoice = 99;

struct CollectiveCandidate {
  int algorithm = 0;  // the library's number; 0: its own choice
  std::uint64_t segment_bytes = 0;
  bool operator==(const CollectiveCandidate&) const = default;
};

struct CollectivesOrder {
  std::string operation;                        // bcast, reduce, allreduce, allgather, alltoall
  std::vector<CollectiveCandidate> candidates;  // 0 first
  std::vector<std::uint64_t> sizes_bytes;       // of one rank
  std::uint64_t step_bytes = 0;  // by which candidates' messages differ, the last one's as they
                                 // are; 0: variables of the library tell them apart
  // Open MPI's components that compete with the one that it asks first; the first of them has the
  // algorithms: "tuned", "han". Empty where the one that it asks first has them.
  std::vector<std::string> components;
  double budget_ns = 60e9;
  std::uint64_t seed = 1;
};

// Of the components, that of a numbered algorithm or of its own choice.
std::string component_of(const CollectivesOrder& order, int algorithm);

struct StackCell {
  int ranks = 0;
  CollectiveCandidate candidate;
  std::uint64_t size_bytes = 0;
  std::vector<std::uint64_t> rounds_ns;  // one per round, from the first until it was dropped
  bool operator==(const StackCell&) const = default;
};

struct CollectivesResult {
  int ranks_per_node = 0;
  int nodes = 0;
  std::vector<StackCell> cells;
};

// Called by all ranks; measures all ranks and half of the nodes. The result is on rank 0.
// Error(kFailed) if the MPI's algorithm cannot be selected.
CollectivesResult run_stack_collectives(const control::MpiJob& job, const CollectivesOrder& order);

// Whether a candidate is clearly slower than the best, both by round. Pure.
bool is_beaten(const std::vector<std::uint64_t>& own_ns, const std::vector<std::uint64_t>& best_ns);

}  // namespace nmt::sampler
