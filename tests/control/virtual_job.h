// SPDX-License-Identifier: BSD-3-Clause
//
// A job without an MPI: each rank is a thread. A message moves when both of its ranks are there,
// from buffer to buffer, so that nothing relies on an MPI's own memory for early messages.
//
// It counts what each rank sends and receives, and the most memory that it had of operator new,
// which virtual_job.cpp replaces.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "control/mpi_job.h"

namespace nmt::testing {

struct RankCost {
  std::size_t messages = 0;  // sent and received
  std::size_t sent_bytes = 0;
  std::size_t memory_bytes_max = 0;  // beyond what it had before
};

// Runs `body` on all ranks and returns the cost of each. The job can send, receive, hand, fetch and
// broadcast, and wait for all.
std::vector<RankCost> run_virtual_job(int ranks,
                                      const std::function<void(const control::MpiJob& job)>& body);

}  // namespace nmt::testing
