// SPDX-License-Identifier: BSD-3-Clause
//
// What an MPI's own messages between two nodes take, and from which size on it asks before it
// sends (rendezvous): the MPI as a rail.
//
// That size is found by sending while nobody asks: what leaves all the same is eager. Messages are
// benchmark::kMessage, of method copy below it and rendezvous from it on, between rank 0 and one
// rank of each other node in turn.
#pragma once

#include <cstdint>
#include <string>

#include "control/control.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt {

struct MpiMessageOptions {
  double budget_ns = 10e9;
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t seed = 1;
};

// By all ranks of a job on two nodes or more; the observer is rank 0's, and null elsewhere.
CampaignReport run_mpi_messages(const control::MpiJob& job, const std::string& mpi_name,
                                const MpiMessageOptions& options, Observer* observer);

}  // namespace nmt
