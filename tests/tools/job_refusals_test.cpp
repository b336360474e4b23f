// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that their MPI takes for jobs of their own, and jobs whose MPI cannot do what is asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sampler/stack/launch_messages.h"
#include "stacks/stacks.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST_F(Sandbox, AJobWhoseMpiHasNoModuleIsToldWhatToInstall) {
  std::filesystem::copy_file(NMAD_SAMPLE, path("nmad-sample"));
  for (const auto& [variable, package] :
       std::map<std::string, std::string>{{"OMPI_COMM_WORLD_SIZE", "libopenmpi-dev"},
                                          {"PMI_RANK", "libmpich-dev"},
                                          {"PMIX_RANK", "libopenmpi-dev"}}) {
    const Result result = run({path("nmad-sample")},
                              {.environment = {{variable, "1"}, {"PMIX_NAMESPACE", "slurm.1.0"}}});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(package));
  }
}

// The launcher's variables alone, as another MPI finds them: it takes each rank for a job of its
// own.
TEST_F(Sandbox, RanksThatTheMpiTakesForJobsOfTheirOwnAreRefused) {
  using Environment = std::map<std::string, std::string>;
  const Environment of_mpirun = {{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_RANK", "1"}};
  const Environment of_hydra = {{"PMI_SIZE", "3"}};
  int tried = 0;
  for (const auto& [mpi, library, launcher, environment] :
       {std::tuple{"mpich", "MPICH Version: ", "Open MPI's mpirun launched 3 ranks", of_mpirun},
        {"openmpi", "Open MPI v", "MPICH's mpiexec launched 3 ranks", of_hydra},
        {"openmpi", "Open MPI v", "Open MPI's mpirun launched 3 ranks", of_mpirun}}) {
    Environment as_root = environment;
    as_root["OMPI_ALLOW_RUN_AS_ROOT"] = as_root["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
    const Result refused = sample({"--mpi", mpi, "--db", path("a.db")}, {.environment = as_root});
    if (refused.err.find("the module for it is missing") != std::string::npos) continue;
    ++tried;
    EXPECT_EQ(refused.exit_code, 2) << mpi;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(launcher), HasSubstr(library))) << mpi;
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.db")));
  if (tried < 3) GTEST_SKIP() << "without the module of an MPI";
}

// Real launchers, of both MPIs: all ranks are of the other one, or all but rank 0.
TEST_F(Sandbox, RanksOfTheOtherMpisLauncherAreRefusedWithBothVersions) {
  for (const std::string launcher : {"mpirun.openmpi", "mpiexec.hydra"}) {
    if (run({launcher, "--version"}).exit_code != 0) GTEST_SKIP() << "no " << launcher;
  }
  const std::map<std::string, std::string> as_root = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"}};
  int tried = 0;
  for (const auto& [launcher, rank, own, other, both] :
       {std::tuple{"mpirun.openmpi", "$OMPI_COMM_WORLD_RANK", "openmpi", "mpich",
                   "Open MPI's mpirun ([(]PRRTE )?[0-9]+[.][0-9.]+[)]? launched 2 ranks.*"
                   "MPICH Version: +[0-9]+[.][0-9]"},
        {"mpiexec.hydra", "$PMI_RANK", "mpich", "openmpi",
         "MPICH's mpiexec [0-9]+[.][0-9.]+ launched 2 ranks.*Open MPI v[0-9]+[.][0-9]"}}) {
    for (const std::string first : {own, other}) {
      const std::string each = std::string("[ ") + rank + " = 0 ] && mpi=" + first +
                               " || mpi=" + other + "; exec " NMAD_SAMPLE " --mpi $mpi --db " +
                               path("a.db");
      const Result refused = run({launcher, "-n", "2", "sh", "-c", each}, {.environment = as_root});
      if (refused.err.find("the module for it is missing") != std::string::npos) continue;
      ++tried;
      EXPECT_NE(refused.exit_code, 0) << launcher << ", rank 0 of " << first;
      EXPECT_THAT(refused.err, ContainsRegex(both)) << launcher << ", rank 0 of " << first;
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.db")));
  if (tried < 4) GTEST_SKIP() << "without the module of an MPI";
}

// A launcher is asked for its version, from the folder of the process above the ranks.
TEST_F(Sandbox, TheLauncherOfARefusedRankIsNamedWithItsVersionUnlessItDoesNotAnswer) {
  const std::string daemon = path("orted");
  std::filesystem::copy_file("/bin/sh", daemon);
  const auto refused_below = [&](const std::string& answer) {
    write("orterun", "#!/bin/sh\n" + answer + "\n");
    std::filesystem::permissions(path("orterun"), std::filesystem::perms::owner_all);
    const std::string command = NMAD_SAMPLE " --mpi mpich --db " + path("a.db");
    return run({daemon, "-c", command + "; exit $?"},
               {.environment = {{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_RANK", "1"}}});
  };
  const Result named = refused_below("echo 'orterun (OpenRTE) 4.1.9'; echo 'Report bugs'");
  if (named.err.find("the module for it is missing") != std::string::npos) {
    GTEST_SKIP() << "no MPICH";
  }
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.err, AllOf(HasSubstr("Open MPI's mpirun 4.1.9 launched 3 ranks"),
                               HasSubstr("MPICH Version: ")));
  EXPECT_THAT(refused_below("echo 'prte (PRRTE) 3.0.8'").err,
              HasSubstr("Open MPI's mpirun (PRRTE 3.0.8) launched 3 ranks"));
  for (const std::string silence : {"exit 1", "exec sleep 100"}) {
    EXPECT_THAT(refused_below(silence).err, HasSubstr("Open MPI's mpirun launched 3 ranks"));
  }
}

TEST_F(Sandbox, ControlVariablesThatAreSwitchedOffAreNamedAsTheReason) {
  if (run({"mpirun.openmpi", "--version"}).exit_code != 0) GTEST_SKIP() << "no Open MPI";
  for (const auto& [part, missed] : {std::pair("collectives", "choose an algorithm of Open MPI v"),
                                     std::pair("messages", "header in them, of Open MPI v")}) {
    const Result result =
        sample({"--stack", "openmpi", "--parts", part, "--max-size", "64K", "--db", path("a.db"),
                "--launcher", "mpirun.openmpi --oversubscribe -n 2 env LD_PRELOAD=" NMT_NO_MPI_T},
               {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                {"OMPI_MCA_mpi_yield_when_idle", "1"}}});
    EXPECT_EQ(result.exit_code, 1) << part;
    EXPECT_THAT(result.err, AllOf(HasSubstr(missed), HasSubstr("MPI_T is switched off"))) << part;
  }
}

// Nothing of these stacks is read by MPI_T.
TEST_F(Sandbox, ControlVariablesThatAreSwitchedOffAreNotMissedByOtherStacks) {
  int tried = 0;
  for (const auto& [stack, launcher] : {std::pair("ucx", "mpirun.openmpi --oversubscribe -n 2"),
                                        {"libfabric", "mpirun.openmpi --oversubscribe -n 2"},
                                        {"mpich", "mpiexec.hydra -n 2"}}) {
    const auto round_with = [&](const std::string& preload) {
      std::map<std::string, std::string> environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
      for (const auto& [name, value] : sampler::environment_of(stacks::find_stack(stack), {})) {
        environment[name] = value;
      }
      return run(
          {"sh", "-c",
           std::string("exec ") + launcher + " env " + preload + " " NMAD_SAMPLE " --stack " +
               stack + " --json --quiet --turn sizes:1/eager:1/variables:"},
          {.environment = environment});
    };
    if (round_with("A=").exit_code != 0) continue;  // this stack is not here
    ++tried;
    const Result round = round_with("LD_PRELOAD=" NMT_NO_MPI_T);
    EXPECT_EQ(round.exit_code, 0) << stack << ": " << round.err;
    EXPECT_THAT(round.out, HasSubstr("bytes_max")) << stack;
  }
  if (tried < 3) GTEST_SKIP() << "only " << tried << " of 3 stacks are here";
}

TEST_F(Sandbox, RulesThatANodeDoesNotSeeAreNamedByItsRank) {
  if (run({"mpirun.openmpi", "--version"}).exit_code != 0) GTEST_SKIP() << "no Open MPI";
  const Result refused =
      run({"mpirun.openmpi", "--oversubscribe", "-n", "2", NMAD_SAMPLE, "--stack", "openmpi",
           "--json", "--quiet", "--turn", "sizes:1/eager:0/variables:"},
          {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"OMPI_MCA_coll_tuned_dynamic_rules_filename", path("absent.conf")}}});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot read " + path("absent.conf")),
                                 HasSubstr("a file system that all nodes of the job share")));
}

TEST_F(Sandbox, SeveralTasksOfSlurmWithoutAnMpiAreRefusedEach) {
  const std::map<std::string, std::string> task = {{"SLURM_PROCID", "1"},
                                                   {"SLURM_STEP_NUM_TASKS", "2"}};
  const std::vector<std::string> before = files();
  const Result refused = sample({"--list"}, {.environment = task});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("srun --mpi=pmix"));
  EXPECT_EQ(files(), before);
  std::map<std::string, std::string> single = task;
  single["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(sample({"--list"}, {.environment = single}).exit_code, 0);
}

// It launches jobs itself, so an MPI that knows its ranks does not make several of it one campaign.
TEST_F(Sandbox, SeveralProcessesThatEachSampleAnotherStackAreRefused) {
  const std::vector<std::string> before = files();
  for (const auto& [starter, environment] :
       std::vector<std::pair<std::string, std::map<std::string, std::string>>>{
           {"srun", {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}},
           {"srun",
            {{"SLURM_PROCID", "1"},
             {"SLURM_STEP_NUM_TASKS", "2"},
             {"PMIX_RANK", "1"},
             {"PMIX_NAMESPACE", "slurm.1.0"}}},
           {"Open MPI's mpirun", {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}},
           {"MPICH's mpiexec", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}}}) {
    for (const std::string parts : {"messages", "collectives"}) {
      const Result refused =
          sample({"--stack", "openmpi", "--parts", parts}, {.environment = environment});
      EXPECT_EQ(refused.exit_code, 2) << starter;
      EXPECT_THAT(refused.err, HasSubstr(starter + " started 2 processes of this command"));
    }
  }
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace nmt::testing
