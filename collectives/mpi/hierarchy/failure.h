// SPDX-License-Identifier: BSD-3-Clause
//
// How a failed operation ends for the program: the program's functions are C, so no exception may
// pass through them.
#pragma once

#include <mpi.h>

#include <memory>

namespace nmt::collectives {

// Prints the reason and ends the job.
[[noreturn]] void end_job(MPI_Comm comm, int code, const char* reason) noexcept;

// Handles an error that is not the MPI's, on this rank alone: prints it and calls the
// communicator's handler; returns the code.
int fail(MPI_Comm comm, int code, const char* reason) noexcept;

// Runs `action(object)`. Returns MPI_SUCCESS, or the error code of what it threw, after calling the
// communicator's error handler. An error that is not the MPI's is printed first.
int guarded(MPI_Comm comm, void (*action)(void*), void* object) noexcept;

template <class Action>
int guarded(MPI_Comm comm, Action&& action) noexcept {
  using Object = std::remove_reference_t<Action>;
  return guarded(
      comm, [](void* object) { (*static_cast<Object*>(object))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(action))));
}

}  // namespace nmt::collectives
