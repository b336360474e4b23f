// SPDX-License-Identifier: BSD-3-Clause
//
// The commands under Slurm: a real controller and real daemons, on hosts of the lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include "tests/lab/lab.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Slurm : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    std::string reason = Lab::missing();
    if (reason.empty()) reason = Lab::slurm_missing();
    if (!reason.empty()) GTEST_SKIP() << reason;
    lab_.emplace(Cluster{.rate = "1000mbit", .hosts = 2});
  }

  Result slurm(std::vector<std::string> command) const {
    return run(lab_->slurm(command), {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                                      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                                                      {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}});
  }
  // Two ranks on each of both hosts.
  Result srun(const std::string& mpi, std::vector<std::string> command) const {
    std::vector<std::string> all = {"srun", "--mpi=" + mpi, "-N2", "--ntasks-per-node=2"};
    all.insert(all.end(), command.begin(), command.end());
    return slurm(all);
  }
  static bool has(const std::string& command) {
    return run({"sh", "-c", "command -v " + command}).exit_code == 0;
  }
  std::string script(const std::string& name, const std::string& text) const {
    const std::string file = write(name, "#!/bin/sh\n" + text);
    ::chmod(file.c_str(), 0700);
    return file;
  }

  std::optional<Lab> lab_;
};

TEST_F(Slurm, TasksWithoutAnMpiAreRefusedAndNothingIsWritten) {
  const std::vector<std::string> before = files();
  const Result refused = srun("none", {NMAD_SAMPLE, "--db", path("a.db")});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("srun --mpi=pmix"));
  EXPECT_EQ(files(), before);
  const Result single = slurm({"srun", "-N1", "-n1", NMAD_SAMPLE, "--list"});
  EXPECT_EQ(single.exit_code, 0) << single.err;
}

class SlurmOf : public Slurm, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    Slurm::SetUp();
    if (IsSkipped()) return;
    if (!has(GetParam() == "openmpi" ? "mpirun.openmpi" : "mpiexec.hydra")) {
      GTEST_SKIP() << GetParam() << " is missing";
    }
  }
  // By which srun starts the ranks of this MPI.
  static std::string protocol() { return GetParam() == "openmpi" ? "pmix" : "pmi2"; }
};

TEST_P(SlurmOf, SrunStartsTheRanksOfOneCampaign) {
  const Result sampled =
      srun(protocol(), {NMAD_SAMPLE, "--parts", "mpi", "--budget", "2s", "--db", path("a.db")});
  ASSERT_THAT(sampled.exit_code, AnyOf(0, 4)) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("Sampled on h0"));
  const Result shown = tune({"show", "--db", path("a.db")});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("mpi:" + GetParam()));
  const Result wrong = srun(protocol(), {NMAD_SAMPLE, "--parts", "no-such"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
}

TEST_P(SlurmOf, MpirunWorksInABatchJobAndInAnAllocation) {
  if (GetParam() == "mpich") GTEST_SKIP() << "mpiexec.hydra waits for ever in a job of Slurm here";
  const std::string launcher = "mpirun.openmpi -n 2 --map-by node";
  const std::string file =
      script("job.sh", launcher + " " NMAD_SAMPLE " --parts mpi --budget 2s --db " + path("a.db"));
  const Result batch =
      slurm({"sbatch", "--wait", "-N2", "--ntasks-per-node=2", "-o", path("job.out"), file});
  EXPECT_THAT(batch.exit_code, AnyOf(0, 4)) << batch.err << read("job.out");
  EXPECT_THAT(read("job.out"), HasSubstr("Sampled on h0"));
  const Result allocation = slurm({"salloc", "-N2", "--ntasks-per-node=2", file});
  EXPECT_THAT(allocation.exit_code, AnyOf(0, 4)) << allocation.err;
}

TEST_P(SlurmOf, SrunIsALauncherOfOtherStacks) {
  const std::string launcher = "srun --mpi=" + protocol() + " -N2 -n2";
  const Result sampled = slurm({NMAD_SAMPLE, "--stack", GetParam(), "--launcher", launcher,
                                "--rounds", "5", "--max-size", "64K", "--db", path("a.db")});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("h0 and h1"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, SlurmOf, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
