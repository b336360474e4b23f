// SPDX-License-Identifier: BSD-3-Clause
//
// Measures an MPI's own messages between two nodes, and the size from which it uses a rendezvous:
// the MPI as a rail.
//
// It finds that size by sending before the receive is posted: a send that completes is eager.
// Samples are benchmark::kMessage, with method copy below that size and rendezvous from it on,
// between rank 0 and one rank of each other node in turn.
#pragma once

#include <cstdint>
#include <string>

#include "control/control.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt::sampler {

struct MpiMessageOptions {
  double budget_ns = 10e9;
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t seed = 1;
};

// Called by all ranks of a job on at least two nodes; `observer` is used on rank 0 and null
// elsewhere.
CampaignReport run_mpi_messages(const control::MpiJob& job, const std::string& mpi_name,
                                const MpiMessageOptions& options, Observer* observer);

}  // namespace nmt::sampler
