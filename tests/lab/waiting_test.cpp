// SPDX-License-Identifier: BSD-3-Clause
//
// How the lab's jobs of real MPIs wait, on which all of its benchmarks depend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/lab/lab.h"
#include "tests/tools/process.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;

// What the ranks of a job, one in each host, find in their environment of how to wait.
class Waiting : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    const std::string launcher = GetParam() == "openmpi" ? "mpirun.openmpi" : "mpiexec.hydra";
    if (run({launcher, "--version"}).exit_code != 0) GTEST_SKIP() << launcher << " is missing";
  }

  // The ranks stay a moment: where a host's are gone at once, MPICH's launcher writes to nobody and
  // dies of it (SIGPIPE).
  std::set<std::string> found(const Lab& lab, const std::vector<std::string>& options) const {
    std::vector<std::string> command = {NMT_LAB_SCRIPT, "--lab", lab.name(), "mpi", GetParam()};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(
        command.end(),
        {"sh", "-c", "echo preload=$LD_PRELOAD yields=$OMPI_MCA_mpi_yield_when_idle; sleep 0.5"});
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::set<std::string> lines;
    std::istringstream text(result.out);
    for (std::string line; std::getline(text, line);) lines.insert(line);
    return lines;
  }
};

// A library before Open MPI's looks at sockets makes it up to eight times slower than it is when it
// yields, which it does by itself.
TEST_P(Waiting, IsByDefaultWhatIsBestForTheMpi) {
  const Lab lab({1000});
  const std::string sleeps = "preload=/run/nmadtune-lab/" + lab.name() + "/waiting.so yields=";
  EXPECT_EQ(found(lab, {}),
            std::set<std::string>{GetParam() == "openmpi" ? "preload= yields=1" : sleeps});
}

TEST_P(Waiting, IsAnOption) {
  const Lab lab({1000});
  const std::string libraries = "/run/nmadtune-lab/" + lab.name();
  const std::map<std::string, std::string> of_openmpi = {
      {"yield", "preload= yields=1"},
      {"sleep", "preload=" + libraries + "/waiting.so yields=1"},
      {"spin", "preload= yields=0"}};
  const std::map<std::string, std::string> of_mpich = {
      {"yield", "preload=" + libraries + "/yielding_ucx.so yields="},
      {"sleep", "preload=" + libraries + "/waiting.so yields="},
      {"spin", "preload= yields="}};
  for (const auto& [way, environment] : GetParam() == "openmpi" ? of_openmpi : of_mpich) {
    EXPECT_EQ(found(lab, {"--wait", way}), std::set<std::string>{environment}) << way;
  }
  const Result refused = run(lab.job(GetParam(), {"--wait", "fast"}, {"true"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("not fast"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, Waiting, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
