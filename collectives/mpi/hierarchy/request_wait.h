// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for a message of the MPI: on a core of its own, or on one that is shared.
#pragma once

#include <mpi.h>

namespace nmt::collectives {

// Called now and then while a rank waits; may throw what ends the operation.
struct WaitHook {
  void (*function)(void*) = nullptr;
  void* object = nullptr;
};

// Waits until it is complete; with more ranks than cores, yields the core in between.
void wait_for(MPI_Request* request, bool oversubscribed, MPI_Status* status = MPI_STATUS_IGNORE,
              const WaitHook& run_wait_hook = {});

}  // namespace nmt::collectives
