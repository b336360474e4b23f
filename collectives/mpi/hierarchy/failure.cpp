// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/hierarchy/failure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "collectives/mpi/hierarchy/failure_notifier.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {
namespace {

// Launchers drop the output of a rank that ends the job directly afterwards.
constexpr std::chrono::milliseconds kUntilTold{200};

// Open MPI's launcher (4.1) sometimes waits for ever if two ranks end a job at the same time. So
// each rank waits longer than the one before it, and the first to end the job ends the others too;
// on a busy machine that takes some tenths of a second.
constexpr std::chrono::milliseconds kBetweenRanks{1000};
constexpr int kWaitingRanksMax = 5;  // later ranks need not wait longer: the job has ended by then

std::chrono::milliseconds until_this_rank_may_end(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return kUntilTold + kBetweenRanks * std::min(rank, kWaitingRanksMax);
}

}  // namespace

void end_job(MPI_Comm comm, int code, const char* reason) noexcept {
  std::fprintf(stderr, "nmadtune: %s\n", reason);
  std::this_thread::sleep_for(until_this_rank_may_end(comm));
  PMPI_Abort(comm, code);
  std::abort();
}

// MPICH's launcher (4.0) waits for ever if one rank calls the fatal handler with a code that no
// call has returned; MPI_Abort ends the job.
int fail(MPI_Comm comm, int code, const char* reason) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) end_job(comm, code, reason);
  std::fprintf(stderr, "nmadtune: %s\n", reason);
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

int guarded(MPI_Comm comm, void (*action)(void*), void* object) noexcept {
  try {
    action(object);
    return MPI_SUCCESS;
  } catch (const MpiFailure& failure) {
    PMPI_Comm_call_errhandler(comm, failure.code);
    return failure.code;
  } catch (const FailedElsewhere& failure) {
    return fail(comm, failure.error_class, "a collective failed on another rank");
  } catch (const std::bad_alloc&) {
    return fail(comm, MPI_ERR_NO_MEM, "out of memory in a collective");
  } catch (const std::exception& error) {
    return fail(comm, MPI_ERR_OTHER, error.what());
  } catch (...) {
    return fail(comm, MPI_ERR_OTHER, "a collective failed for an unknown reason");
  }
}

}  // namespace nmt::collectives
