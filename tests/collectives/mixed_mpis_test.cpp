// SPDX-License-Identifier: BSD-3-Clause
//
// Two MPIs on one machine that are taken for each other: a library built for one in front of a
// program of the other, and the launcher of one for a program of the other. Both MPIs are needed.
// And two versions of one MPI in one job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class MixedMpis : public InFrontOfMpi {
 protected:
  void SetUp() override {
    InFrontOfMpi::SetUp();
    other_library_ = library_of(GetParam() == "openmpi" ? "mpich" : "openmpi");
    if (other_library_.empty()) GTEST_SKIP() << "one of the two MPIs is missing";
  }

  std::string version() const { return GetParam() == "openmpi" ? "Open MPI v" : "MPICH Version: "; }
  std::string other_name() const { return GetParam() == "openmpi" ? "MPICH " : "Open MPI "; }
  // From 5.0 on, Open MPI's mpirun runs PRRTE's.
  std::string other_launcher() const {
    return GetParam() == "openmpi" ? "MPICH's mpiexec [0-9]+[.][0-9.]+"
                                   : "Open MPI's mpirun ([(]PRRTE )?[0-9]+[.][0-9.]+[)]?";
  }

  std::string other_library_;
};

class OneMpi : public InFrontOfMpi {};

TEST_P(MixedMpis, ALibraryForTheOtherMpiEndsTheJobAndSaysOnceWhichTwoThereAre) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result result =
      job({"env", "LD_PRELOAD=" + other_library_, program}, 3, {{"NMADTUNE_MPI", "always"}}, false);
  EXPECT_TRUE(failed(result));
  EXPECT_EQ(result.out.find("good"), std::string::npos) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("is built for " + other_name()),
                                HasSubstr("the program runs " + version()),
                                HasSubstr("nmadtune/" + GetParam())));
  EXPECT_THAT(result.err, AllOf(ContainsRegex("is built for " + other_name() + "[0-9]+[.][0-9]"),
                                ContainsRegex("runs " + version() + " *[0-9]+[.][0-9]")));
  EXPECT_EQ(count(result.err, "nmadtune: "), 1) << result.err;
}

TEST_P(MixedMpis,
       RanksOfTheOthersLauncherAreToldOnceThatEachIsAJobOfItsOwnAndOfWhichVersionsBothAre) {
  const std::string program = compile("mpicc", "interposed.c");
  const std::vector<std::string> launcher =
      GetParam() == "openmpi" ? std::vector<std::string>{"mpiexec.hydra"}
                              : std::vector<std::string>{"mpirun.openmpi", "--oversubscribe"};
  std::vector<std::string> command = launcher;
  command.insert(command.end(), {"-n", "3", "env", "LD_PRELOAD=" + library_, program});
  const Result result = run(command, {.environment = environment({{"NMADTUNE_MPI", "always"}})});
  EXPECT_THAT(result.err, AllOf(ContainsRegex(other_launcher() + " launched 3 ranks"),
                                HasSubstr("the program's MPI, " + version())));
  EXPECT_EQ(count(result.err, "is a job of its own"), 1) << result.err;
}

TEST_P(OneMpi, OfTwoVersionsInOneJobEndsItWithBoth) {
  const std::string program = compile("mpicc", "interposed.c");
  const std::string both = "LD_PRELOAD=" + library_ + ":" NMT_OTHER_VERSION;
  const Result result = job({"env", both, program}, 3, {{"NMADTUNE_MPI", "always"}}, false);
  EXPECT_TRUE(failed(result));
  EXPECT_EQ(result.out.find("good"), std::string::npos) << result.out;
  const std::string name = GetParam() == "openmpi" ? "Open MPI v" : "MPICH Version: ";
  EXPECT_THAT(result.err,
              ContainsRegex("rank 0 runs " + name + "[0-9.]+, and rank 1 runs " + name + "9[.]"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, OneMpi, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Mpis, MixedMpis, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
