// SPDX-License-Identifier: BSD-3-Clause
//
// The example program asp under an MPI, and libnmadtune-mpi.so to put in front of it.
#pragma once

#include <string>

namespace nmt::testing {

// "openmpi" or "mpich"; empty where there is none of that MPI.
std::string interposed_library(const std::string& mpi);

// Compiles asp to that file.
void compile_asp(const std::string& mpi, const std::string& program);

}  // namespace nmt::testing
