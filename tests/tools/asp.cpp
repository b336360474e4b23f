// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/asp.h"

#include <gtest/gtest.h>

#include "tests/tools/process.h"

namespace nmt::testing {

std::string interposed_library(const std::string& mpi) {
  return mpi == "openmpi" ? NMT_INTERPOSED_OPENMPI : NMT_INTERPOSED_MPICH;
}

void compile_asp(const std::string& mpi, const std::string& program) {
  const Result made = run({"mpicc." + mpi, "-O1", "-o", program, NMT_EXAMPLES "/asp/asp.c"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
}

}  // namespace nmt::testing
