// SPDX-License-Identifier: BSD-3-Clause
//
// libnmadtune-mpi.so and another tool in one program: a shared library that counts calls (tool.c),
// preloaded above ours or below it. What the tool counts without ours is what it must count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WithATool : public InFrontOfMpi {
 protected:
  std::string tool(const std::string& flags = "") const {
    return compile("mpicc", "tool.c", "-shared -fPIC " + flags, "tool.so");
  }

  // A job of three ranks with these libraries in front, the first one on top.
  Result with(const std::string& libraries, const std::string& program,
              const std::string& when) const {
    return job({"env", "LD_PRELOAD=" + libraries, program}, 3,
               {{"NMADTUNE_MPI", when}, {"NMADTUNE_MPI_REPORT", "1"}}, false);
  }

  static std::string counted(const Result& result) {
    const std::size_t begin = result.err.find("tool: ");
    return begin == std::string::npos
               ? "nothing"
               : result.err.substr(begin, result.err.find('\n', begin) - begin);
  }

  void expect_the_same_counts(const std::string& tool, const std::string& program) const {
    const Result alone = with(tool, program, "never");
    ASSERT_THAT(counted(alone), HasSubstr("tool: init 1, bcast ")) << alone.err;
    for (const std::string& both : {library_ + " " + tool, tool + " " + library_}) {
      const Result result = with(both, program, "never");
      EXPECT_EQ(result.exit_code, 0) << both << ": " << result.err;
      EXPECT_EQ(result.out, alone.out) << both;
      EXPECT_EQ(counted(result), counted(alone)) << both;
    }
  }
};

TEST_P(WithATool, AboveOrBelowItCountsEachCallThatIsLeftAlone) {
  expect_the_same_counts(tool(), compile("mpicc", "interposed.c"));
}

TEST_P(WithATool, FromFortranToo) {
  if (run({"sh", "-c", "command -v mpifort." + GetParam()}).exit_code != 0) {
    GTEST_SKIP() << "mpifort." << GetParam() << " is missing";
  }
  expect_the_same_counts(tool(GetParam() == "openmpi" ? "-DFORTRAN" : ""),
                         compile("mpifort", "interposed.f90"));
}

// What ours does in place of the MPI never comes to the MPI; its own messages are nobody's calls.
TEST_P(WithATool, BelowOursItCountsWhatOursDoesNotReplace) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result result = with(library_ + " " + tool(), program, "always");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 4 of 5 calls replaced"));
  EXPECT_EQ(counted(result),
            "tool: init 1, bcast 1, reduce 0, allreduce 2, allgather 0, alltoall 1");
}

// A tool above ours passes each call to the MPI, past ours: nobody waits for a call that is not
// ours.
TEST_P(WithATool, AboveOursItCountsEachCallAndNothingIsReplaced) {
  const std::string program = compile("mpicc", "interposed.c"), above = tool();
  const Result alone = with(above, program, "always");
  const Result result = with(above + " " + library_, program, "always");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, alone.out);
  EXPECT_EQ(counted(result), counted(alone));
  EXPECT_THAT(result.err, Not(HasSubstr("calls replaced")));
}

INSTANTIATE_TEST_SUITE_P(Mpis, WithATool, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
