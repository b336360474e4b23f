// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithms that an MPI has for one collective, against its own choice, by number of ranks and
// size, all in one launch.
//
// Open MPI reads which algorithm to take whenever a communicator is made, so that each candidate
// has one of its own and all take turns within rounds, milliseconds apart. MPICH reads its tables
// once, when a job starts, so that theirs let sizes tell: each candidate's messages are some bytes
// shorter than those of the next one (stacks/mpich_tables.h). Candidates that lose
// beyond doubt are measured no more: what they would have taken goes to those that are near the
// best. An operation lasts from the first rank's start to the last one's end (sampler/job/clock.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"

namespace nmt {

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
  double budget_ns = 60e9;
  std::uint64_t seed = 1;
};

struct StackCell {
  int ranks = 0;
  CollectiveCandidate candidate;
  std::uint64_t size_bytes = 0;
  std::vector<std::uint64_t> rounds_ns;  // one each, from the first round on, until it was out
  bool operator==(const StackCell&) const = default;
};

struct CollectivesResult {
  int ranks_per_node = 0;
  int nodes = 0;
  std::vector<StackCell> cells;
};

// By all ranks: over all of them and over half of the nodes; the result is rank 0's. Error(kFailed)
// where the MPI takes no orders.
CollectivesResult run_stack_collectives(const control::MpiJob& job, const CollectivesOrder& order);

// Of what took turns with the best so far: whether it is out. Pure.
bool is_beaten(const std::vector<std::uint64_t>& own_ns, const std::vector<std::uint64_t>& best_ns);

}  // namespace nmt
