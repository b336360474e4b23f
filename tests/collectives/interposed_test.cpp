// SPDX-License-Identifier: BSD-3-Clause
//
// MPI programs with libnmadtune-mpi.so in front of their MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;

class Interposed : public InFrontOfMpi {
 protected:
  // Skips where there is no such compiler.
  std::string compile(const std::string& compiler, const std::string& source) const {
    const std::string program = path("program");
    const Result made =
        run({"sh", "-c",
             compiler + "." + GetParam() + " -O1 " + NMT_SOURCES "/" + source + " -o " + program});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return program;
  }
};

TEST_P(Interposed, AnyProgramGivesTheSame) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result own = job({program}, 3, {}, false);
  EXPECT_EQ(own.exit_code, 0) << own.err;
  for (const std::string copies : {"", "shared", "messages"}) {
    const Result result = job({program, "in-place"}, 3,
                              {{"NMADTUNE_MPI", "always"},
                               {"NMADTUNE_MPI_COPIES", copies},
                               {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, own.out);
    EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 4 of 5 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce: 3 of 3 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: allreduce: 0 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: allgather: 6 of 6 calls replaced"));
  }
}

TEST_P(Interposed, FortranIsReachedByMpifAndByBothModules) {
  if (run({"sh", "-c", "command -v mpifort." + GetParam()}).exit_code != 0) {
    GTEST_SKIP() << "mpifort." << GetParam() << " is missing";
  }
  const std::string program = compile("mpifort", "interposed.f90");
  const Result result =
      job({program}, 3, {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("good"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 2 of 2 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce: 1 of 1 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: allreduce: 1 of 1 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: allgather: 1 of 1 calls replaced"));
}

TEST_P(Interposed, AspFindsTheShortestPaths) {
  const std::string program = compile("mpicc", "../../examples/asp/asp.c");
  const Result result = job({program, "90"}, 3, {{"NMADTUNE_MPI", "always"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" verified"));
}

TEST_P(Interposed, WithoutAProfileNothingIsReplacedAndOneRankSaysSo) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result result = job({program}, 2, {{"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of 4 calls replaced"));
  EXPECT_EQ(count(result.err, "the MPI's own collectives are used"), 1) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Mpis, Interposed, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
