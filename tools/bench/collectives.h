// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench collectives: compares those of libnmadtune-mpi.so with the MPI's own, in one job.
//
// Ours use the algorithm and segment that the profile has for this number of nodes and of ranks per
// node. If it has none, or prefers the MPI's own, a simple algorithm is used, and the table says
// so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/profile.h"
#include "tools/command/command.h"
#include "tools/command/options.h"

namespace nmt::tools {

struct CollectivesBenchOptions {
  std::string operations;  // as typed; empty: all
  std::vector<std::uint64_t> sizes_bytes;
  std::optional<std::uint64_t> rounds;
  std::string mpi;  // of the job; empty: detected
  ProfileInUse profile;
};

void declare(Options& options, CollectivesBenchOptions& target);

// Called by all ranks; only rank 0 reports.
Report bench_collectives(const CollectivesBenchOptions& options, const Invocation& invocation);

}  // namespace nmt::tools
