// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/hierarchy/request_wait.h"

#include <sched.h>

#include <ctime>

#include "collectives/mpi/hierarchy/mpi_failure.h"

namespace nmt::collectives {
namespace {

constexpr int kLooks = 8;         // polls before others get the core for longer
constexpr int kLooksAlone = 256;  // polls between two checks for failures elsewhere
constexpr long kNapNs = 30'000;   // less than a segment takes on the wire

}  // namespace

// Open MPI and MPICH complete a request only while its process is in a call.
void wait_for(MPI_Request* request, bool oversubscribed, MPI_Status* status,
              const WaitHook& run_wait_hook) {
  if (!oversubscribed && run_wait_hook.function == nullptr)
    return check(PMPI_Wait(request, status));
  const int looks_between = oversubscribed ? kLooks : kLooksAlone;
  for (int looks = 1, done = 0;; ++looks) {
    check(PMPI_Test(request, &done, status));
    if (done) return;
    if (looks % looks_between == 0 && run_wait_hook.function != nullptr)
      run_wait_hook.function(run_wait_hook.object);
    if (!oversubscribed) continue;
    if (looks % looks_between != 0) {
      ::sched_yield();
    } else {
      const timespec nap{.tv_sec = 0, .tv_nsec = kNapNs};
      ::nanosleep(&nap, nullptr);
    }
  }
}

}  // namespace nmt::collectives
