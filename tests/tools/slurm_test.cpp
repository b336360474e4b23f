// SPDX-License-Identifier: BSD-3-Clause
//
// The commands under Slurm: a real controller and real daemons, on hosts of the lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/version.h"
#include "tests/lab/lab.h"
#include "tests/tools/asp.h"
#include "tests/tools/sandbox.h"
#include "tools/stack/installed_version.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Slurm : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    if (const std::string reason = Lab::slurm_missing(); !reason.empty()) GTEST_SKIP() << reason;
    lab_.emplace(Cluster{.rate = "1000mbit", .hosts = 2});
  }

  Result slurm(std::vector<std::string> command, double deadline_s = 200) const {
    return Process(lab_->slurm(command), {.environment = environment()}).wait(deadline_s);
  }
  static std::map<std::string, std::string> environment() {
    return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
            {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
            {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
            {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
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
  static std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
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
  // One rank on each of both nodes.
  static std::string mpirun() {
    return GetParam() == "openmpi" ? "mpirun.openmpi -n 2 --map-by node"
                                   : "mpiexec.hydra -n 2 -ppn 1";
  }
  static std::string step() { return "srun --mpi=" + protocol() + " -N2 -n2"; }
  // Over UCX's TCP, MPI_Finalize of MPICH 4.0 may wait for ever (docs/collectives.md).
  static bool ends_its_ranks() {
    return GetParam() == "openmpi" || !older(tools::installed_version("mpich"), "4.2");
  }
  // asp with the preloaded library, which reports before MPI_Finalize.
  std::string program() const {
    return "env NMADTUNE_MPI=always NMADTUNE_MPI_REPORT=1 LD_PRELOAD=" +
           interposed_library(GetParam()) + " timeout 30 " + path("asp") + " 90 4";
  }
  std::string typed(const std::string& launcher) const;
  Result in_a_shell_of_salloc(const std::string& launcher) const;
  static void expect_all_of_typed(const Result& shell);
};

// What a user types in a shell on two nodes, with defaults so bad that there is something to gain:
// a stack sampled and compared, a program with the preloaded library, and a word misspelled.
std::string SlurmOf::typed(const std::string& launcher) const {
  const std::string arguments = GetParam() + " --launcher '" + launcher +
                                "' --rounds 5 --max-size 64K --db " + path("a.db") + "; echo ";
  return "export OMPI_MCA_btl_tcp_eager_limit=200 UCX_RNDV_THRESH=200\n" NMAD_SAMPLE " --stack " +
         arguments + "sampled $?\n" NMAD_TUNE " ab " + arguments + "compared $?\n" + launcher +
         " " + program() + " 2>&1; echo ran $?\n" NMAD_SAMPLE " --stack no-such\n";
}

Result SlurmOf::in_a_shell_of_salloc(const std::string& launcher) const {
  compile_asp(GetParam(), path("asp"));
  return slurm({script("shell.sh", "exec salloc -N2 --ntasks-per-node=1 sh <<'END'\n" +
                                       typed(launcher) + "END\n")},
               280);
}

void SlurmOf::expect_all_of_typed(const Result& shell) {
  EXPECT_EQ(shell.exit_code, 2) << shell.err;  // that of the last command
  EXPECT_THAT(shell.out, HasSubstr("h0 and h1"));
  EXPECT_THAT(shell.out, HasSubstr("sampled 0"));
  EXPECT_THAT(shell.out, HasSubstr("settings=1"));
  EXPECT_THAT(shell.out, HasSubstr("compared 0"));
  EXPECT_THAT(shell.out, HasSubstr(" verified"));
  EXPECT_THAT(shell.out, HasSubstr("nmadtune: bcast: 4 of 4 calls replaced"));
  if (ends_its_ranks()) {
    EXPECT_THAT(shell.out, HasSubstr("ran 0"));
  }
}

TEST_P(SlurmOf, SrunStartsTheRanksOfOneCampaign) {
  const Result sampled =
      srun(protocol(), {NMAD_SAMPLE, "--parts", "mpi", "--budget", "2s", "--db", path("a.db")});
  ASSERT_THAT(sampled.exit_code, AnyOf(0, 4)) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("Sampled on h0"));
  EXPECT_THAT(sampled.out, HasSubstr("SUMMARY ranks=4 nodes=2"));
  const Result shown = tune({"show", "--db", path("a.db")});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("mpi:" + GetParam()));
  const Result wrong = srun(protocol(), {NMAD_SAMPLE, "--parts", "no-such"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
}

// By nmad-sample, or by Open MPI 4.1 itself.
TEST_P(SlurmOf, SrunByTheProtocolOfTheOtherMpiIsRefused) {
  const std::string other = protocol() == "pmix" ? "pmi2" : "pmix";
  const Result refused = slurm({"srun", "--mpi=" + other, "-N2", "-n2", NMAD_SAMPLE, "--mpi",
                                GetParam(), "--parts", "mpi", "--db", path("a.db")});
  EXPECT_NE(refused.exit_code, 0) << refused.err;
  EXPECT_THAT(refused.err,
              AnyOf(AllOf(HasSubstr("srun started 2 tasks"), HasSubstr("--mpi=" + protocol())),
                    HasSubstr("--with-pmix")));
  EXPECT_FALSE(std::filesystem::exists(path("a.db")));
}

TEST_P(SlurmOf, MpirunWorksInABatchJobAndInAnAllocation) {
  const std::string file =
      script("job.sh", mpirun() + " " NMAD_SAMPLE " --parts mpi --budget 2s --db " + path("a.db"));
  const Result batch =
      slurm({"sbatch", "--wait", "-N2", "--ntasks-per-node=2", "-o", path("job.out"), file});
  EXPECT_THAT(batch.exit_code, AnyOf(0, 4)) << batch.err << read("job.out");
  EXPECT_THAT(read("job.out"), HasSubstr("Sampled on h0"));
  EXPECT_THAT(read("job.out"), HasSubstr("SUMMARY ranks=2 nodes=2"));
  const Result allocation = slurm({"salloc", "-N2", "--ntasks-per-node=2", file});
  EXPECT_THAT(allocation.exit_code, AnyOf(0, 4)) << allocation.err;
  EXPECT_THAT(allocation.out, HasSubstr("SUMMARY ranks=2 nodes=2"));
  const std::string wrong = script("wrong.sh", mpirun() + " " NMAD_SAMPLE " --parts no-such");
  const Result refused =
      slurm({"sbatch", "--wait", "-N2", "--ntasks-per-node=2", "-o", path("wrong.out"), wrong});
  EXPECT_EQ(refused.exit_code, 2) << refused.err << read("wrong.out");
}

TEST_P(SlurmOf, AShellInAnAllocationStartsJobsByMpirunAndBySrun) {
  const std::string sampling = " " NMAD_SAMPLE " --parts mpi --budget 2s --db " + path("a.db");
  const std::string file =
      script("typed.sh", "exec salloc -N2 --ntasks-per-node=2 sh <<'END'\n" + mpirun() + sampling +
                             "; echo first $?\n" + step() + sampling + "; echo second $?\n" +
                             step() + " " NMAD_SAMPLE " --parts no-such\nEND\n");
  const Result shell = slurm({file});
  EXPECT_EQ(shell.exit_code, 2) << shell.err;  // that of the last command
  EXPECT_THAT(shell.out, ContainsRegex("SUMMARY ranks=2 nodes=2[^\n]*\n(.*\n)*first [04]"));
  EXPECT_THAT(shell.out, ContainsRegex("SUMMARY ranks=2 nodes=2[^\n]*\n(.*\n)*second [04]"));
}

// The script in docs/guide/cluster.md.
class JobScriptOfTheGuide : public Slurm {
 protected:
  void SetUp() override {
    Slurm::SetUp();
    if (IsSkipped()) return;
    if (!has("mpirun.openmpi")) GTEST_SKIP() << "openmpi is missing";
    const std::string page = text_of(NMT_GUIDE);
    const std::size_t begin = page.find("#!/bin/sh\n#SBATCH");
    ASSERT_NE(begin, std::string::npos);
    script_ = page.substr(begin, page.find("```", begin) - begin);
  }
  void samples_two_nodes() const;

  std::string script_;
};

void JobScriptOfTheGuide::samples_two_nodes() const {
  write("job.sh", script_);
  const std::string folder = std::filesystem::path(NMAD_SAMPLE).parent_path();
  const Result batch =
      slurm({"env", "HOME=" + path(""), "PATH=" + folder + ":" + std::getenv("PATH"), "sbatch",
             "--wait", "-o", path("job.out"), path("job.sh")});
  EXPECT_THAT(batch.exit_code, AnyOf(0, 4)) << batch.err << read("job.out");
  EXPECT_THAT(read("job.out"), HasSubstr("SUMMARY ranks=4 nodes=2"));
  EXPECT_EQ(tune({"show", "--db", path("nmadtune.db")}).exit_code, 0);
}

TEST_F(JobScriptOfTheGuide, SamplesTwoNodes) { samples_two_nodes(); }

TEST_F(JobScriptOfTheGuide, SamplesTwoNodesInAShorterTimeToo) {
  const std::string_view usual = "--budget 60s";
  const std::size_t budget = script_.find(usual);
  ASSERT_NE(budget, std::string::npos);
  script_.replace(budget, usual.size(), "--budget 4s");
  samples_two_nodes();
}

TEST_P(SlurmOf, ATerminalOfSrunShowsTheCampaign) {
  const Result shown = run_on_terminal(
      lab_->slurm({"srun", "--pty", "--mpi=" + protocol(), "-N2", "-n2", NMAD_SAMPLE, "--parts",
                   "mpi", "--budget", "2s", "--db", path("a.db")}));
  EXPECT_THAT(shown.exit_code, AnyOf(0, 4)) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("Sampled on h0"));
  EXPECT_THAT(shown.out, HasSubstr("SUMMARY ranks=2 nodes=2"));
  const Result failed =
      run_on_terminal(lab_->slurm({"srun", "--pty", "--mpi=" + protocol(), "-N2", "-n2",
                                   NMAD_SAMPLE, "--parts", "no-such", "--db", path("a.db")}));
  EXPECT_EQ(failed.exit_code, 2) << failed.out;
  const Result list = run_on_terminal(lab_->slurm({"srun", "--pty", "-n1", NMAD_SAMPLE, "--list"}));
  EXPECT_EQ(list.exit_code, 0) << list.out;
  EXPECT_THAT(list.out, HasSubstr("tcp:lo"));
}

// On one node: over UCX's TCP, MPI_Finalize of MPICH may wait for ever (docs/collectives.md).
TEST_P(SlurmOf, ThePreloadedLibraryServesTheRanksOfSrun) {
  const std::string library = interposed_library(GetParam());
  if (library.empty()) GTEST_SKIP() << "built without " << GetParam();
  compile_asp(GetParam(), path("asp"));
  const Result result =
      slurm({"srun", "--mpi=" + protocol(), "-N1", "-n3", "env", "UCX_TLS=posix,sysv,self",
             "NMADTUNE_MPI=always", "NMADTUNE_MPI_REPORT=1", "LD_PRELOAD=" + library, path("asp"),
             "90", "4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" verified"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 4 of 4 calls replaced"));
}

TEST_P(SlurmOf, ThePreloadedLibraryServesTheRanksOfMpirunInABatchJobAndInAnAllocation) {
  const std::string library = interposed_library(GetParam());
  if (library.empty()) GTEST_SKIP() << "built without " << GetParam();
  compile_asp(GetParam(), path("asp"));
  // PRRTE refuses to bind more ranks than there are cores.
  const std::string launcher =
      GetParam() == "openmpi" ? "mpirun.openmpi --bind-to none" : "mpiexec.hydra";
  const std::string file = script(
      "job.sh", launcher + " -n 3 env UCX_TLS=posix,sysv,self NMADTUNE_MPI=always " +
                    "NMADTUNE_MPI_REPORT=1 LD_PRELOAD=" + library + " " + path("asp") + " 90 4");
  const Result batch = slurm({"sbatch", "--wait", "-N1", "-n3", "-o", path("job.out"), file});
  EXPECT_EQ(batch.exit_code, 0) << batch.err << read("job.out");
  EXPECT_THAT(read("job.out"), HasSubstr(" verified"));
  EXPECT_THAT(read("job.out"), HasSubstr("nmadtune: bcast: 4 of 4 calls replaced"));
  const Result allocation = slurm({"salloc", "-N1", "-n3", file});
  EXPECT_EQ(allocation.exit_code, 0) << allocation.err;
  EXPECT_THAT(allocation.out, HasSubstr(" verified"));
  EXPECT_THAT(allocation.err, HasSubstr("nmadtune: bcast: 4 of 4 calls replaced"));
}

TEST_P(SlurmOf, ThePreloadedLibraryServesRanksOnTwoNodes) {
  if (interposed_library(GetParam()).empty()) GTEST_SKIP() << "built without " << GetParam();
  compile_asp(GetParam(), path("asp"));
  const std::string file = script("job.sh", "exec srun --mpi=" + protocol() +
                                                " -N2 --ntasks-per-node=2 env "
                                                "OMPI_MCA_mpi_yield_when_idle=1 " +
                                                program() + "\n");
  const Result result = slurm({file});
  if (ends_its_ranks()) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_THAT(result.out, HasSubstr(" verified"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 4 of 4 calls replaced"));
}

TEST_P(SlurmOf, AShellInAnAllocationHasStacksAndThePreloadedLibraryByMpirun) {
  if (interposed_library(GetParam()).empty()) GTEST_SKIP() << "built without " << GetParam();
  expect_all_of_typed(in_a_shell_of_salloc(mpirun()));
}

TEST_P(SlurmOf, AShellInAnAllocationHasStacksAndThePreloadedLibraryBySrun) {
  if (interposed_library(GetParam()).empty()) GTEST_SKIP() << "built without " << GetParam();
  expect_all_of_typed(in_a_shell_of_salloc(step()));
}

TEST_P(SlurmOf, ATerminalOfSrunHasStacksAndThePreloadedLibrary) {
  if (interposed_library(GetParam()).empty()) GTEST_SKIP() << "built without " << GetParam();
  compile_asp(GetParam(), path("asp"));
  // As salloc itself starts a shell where slurm.conf has use_interactive_step.
  expect_all_of_typed(
      run_on_terminal(lab_->slurm({"salloc", "-N2", "--ntasks-per-node=1", "srun", "--interactive",
                                   "--preserve-env", "--pty", script("typed.sh", typed(mpirun()))}),
                      {.environment = environment()}));
}

TEST_P(SlurmOf, SrunStartsTheRanksOfARoundOfAnotherStack) {
  const Result round =
      slurm({"srun", "--mpi=" + protocol(), "-N2", "-n2", NMAD_SAMPLE, "--stack", GetParam(),
             "--json", "--quiet", "--turn", "sizes:1/eager:0/variables:"});
  EXPECT_EQ(round.exit_code, 0) << round.err;
  EXPECT_THAT(round.out, HasSubstr("other-node"));
}

TEST_P(SlurmOf, MpirunIsALauncherOfOtherStacks) {
  const std::string file =
      script("job.sh", NMAD_SAMPLE " --stack " + GetParam() + " --launcher '" + mpirun() +
                           "' --rounds 5 --max-size 64K --db " + path("a.db"));
  const Result sampled = slurm({"salloc", "-N2", "--ntasks-per-node=1", file});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("h0 and h1"));
}

TEST_P(SlurmOf, SrunIsALauncherOfOtherStacks) {
  const std::string launcher = step();
  // Defaults so bad that there is something to gain.
  const std::vector<std::string> slow = {"env", "OMPI_MCA_btl_tcp_eager_limit=200",
                                         "UCX_RNDV_THRESH=200"};
  const auto slurm_slowed = [&](std::vector<std::string> command) {
    command.insert(command.begin(), slow.begin(), slow.end());
    return slurm(command);
  };
  const Result sampled = slurm_slowed({NMAD_SAMPLE, "--stack", GetParam(), "--launcher", launcher,
                                       "--rounds", "5", "--max-size", "64K", "--db", path("a.db")});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("h0 and h1"));
  const Result compared = slurm_slowed(
      {NMAD_TUNE, "ab", GetParam(), "--launcher", launcher, "--rounds", "5", "--db", path("a.db")});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.last_line(), HasSubstr("settings=1")) << compared.out;
}

TEST_P(SlurmOf, SrunIsALauncherOfOtherStacksWithinAnAllocation) {
  const std::string file =
      script("job.sh", NMAD_SAMPLE " --stack " + GetParam() + " --launcher '" + step() +
                           "' --rounds 5 --max-size 64K --db " + path("a.db"));
  const Result sampled = slurm({"salloc", "-N2", "--ntasks-per-node=1", file});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("h0 and h1"));
}

TEST_P(SlurmOf, ABatchJobSamplesAndComparesOtherStacksByMpirun) {
  const std::string arguments = GetParam() + " --launcher '" + mpirun() + "' --rounds 5 --db ";
  const std::string file =
      script("job.sh", "export OMPI_MCA_btl_tcp_eager_limit=200 UCX_RNDV_THRESH=200\n" NMAD_SAMPLE
                       " --max-size 64K --stack " +
                           arguments + path("a.db") + " || exit\n" NMAD_TUNE " ab " + arguments +
                           path("a.db"));
  const Result batch =
      slurm({"sbatch", "--wait", "-N2", "--ntasks-per-node=1", "-o", path("job.out"), file});
  EXPECT_EQ(batch.exit_code, 0) << batch.err << read("job.out");
  EXPECT_THAT(read("job.out"), HasSubstr("h0 and h1"));
  EXPECT_THAT(read("job.out"), HasSubstr("settings=1"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, SlurmOf, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
