// SPDX-License-Identifier: BSD-3-Clause
//
// How an operation that failed ends for the program: the functions that it calls are C, and no
// exception may pass through them.
#pragma once

#include <mpi.h>

#include <memory>

namespace nmt::collectives {

// Prints the reason and ends the job.
[[noreturn]] void end_job(MPI_Comm comm, int code, const char* reason) noexcept;

// An error that is not the MPI's, on this rank alone: printed, and to the communicator's handler;
// its code.
int fail(MPI_Comm comm, int code, const char* reason) noexcept;

// MPI_SUCCESS, or what `action(object)` threw as an error code of MPI, once the handler of the
// communicator has had it. An error that is not the MPI's is printed first.
int guarded(MPI_Comm comm, void (*action)(void*), void* object) noexcept;

template <class Action>
int guarded(MPI_Comm comm, Action&& action) noexcept {
  using Object = std::remove_reference_t<Action>;
  return guarded(
      comm, [](void* object) { (*static_cast<Object*>(object))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(action))));
}

}  // namespace nmt::collectives
