// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench collectives: those of libnmadtune-mpi.so beside the MPI's own, in one run of a job.
//
// Ours by the algorithm and segment that the profile has for this number of nodes and of ranks on
// each; where it has none, or prefers the MPI's own, by a simple one, and the table says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/profile.h"
#include "tools/command/command.h"
#include "tools/command/options.h"

namespace nmt {

struct CollectivesBenchOptions {
  std::string operations;  // as typed; empty: all
  std::vector<std::uint64_t> sizes_bytes;
  std::optional<std::uint64_t> rounds;
  std::string mpi;  // of the job; empty: that which launched it
  ProfileInUse profile;
};

void declare(Options& options, CollectivesBenchOptions& target);

// By all ranks; those that do not lead have nothing to say.
Report bench_collectives(const CollectivesBenchOptions& options, const Invocation& invocation);

}  // namespace nmt
