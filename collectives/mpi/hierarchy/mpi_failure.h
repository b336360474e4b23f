// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the MPI whose error becomes an exception.
#pragma once

#include <mpi.h>

#include <stdexcept>

namespace nmt::collectives {

// A failed MPI call, under an error handler that returns.
struct MpiFailure : std::runtime_error {
  explicit MpiFailure(int error) : std::runtime_error("an MPI call failed"), code(error) {}
  int code;
};
inline void check(int code) {
  if (code != MPI_SUCCESS) throw MpiFailure(code);
}

}  // namespace nmt::collectives
