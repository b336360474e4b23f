// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that are started otherwise than by an mpirun on one host: by prterun alone, by hydra over a
// real ssh, and of containers whose MPI is started outside of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <list>
#include <optional>

#include "tests/lab/lab.h"
#include "tests/tools/asp.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr double kDeadlineS = 100;

bool has(const std::string& command) {
  return run({"sh", "-c", "command -v " + command}).exit_code == 0;
}

class Launchers : public Sandbox {
 protected:
  // Two ranks' campaign of the MPI's own messages.
  std::vector<std::string> campaign(std::vector<std::string> launcher) const {
    for (const std::string& word :
         {std::string(NMAD_SAMPLE), std::string("--parts"), std::string("mpi"),
          std::string("--budget"), std::string("2s"), std::string("--db"), path("a.db")}) {
      launcher.push_back(word);
    }
    return launcher;
  }
  void expect_one_campaign(const Result& result) const {
    ASSERT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;
    EXPECT_THAT(result.last_line(), HasSubstr("ranks=2 nodes=1")) << result.out;
  }
  void expect_one_campaign_of_two_hosts(const Result& result, const std::string& mpi) const {
    ASSERT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;
    EXPECT_THAT(result.last_line(), HasSubstr("ranks=2 nodes=2")) << result.out;
    EXPECT_THAT(tune({"show", "--db", path("a.db")}).out, HasSubstr("mpi:" + mpi));
  }
  std::string script(const std::string& name, const std::string& text) const {
    const std::string file = write(name, "#!/bin/sh\n" + text);
    ::chmod(file.c_str(), 0700);
    return file;
  }
};

TEST_F(Launchers, PrterunAloneStartsTheRanksOfOneCampaign) {
  if (!has("prterun")) GTEST_SKIP() << "no prterun: it comes with Open MPI 5";
  const Result sampled = Process(campaign({"prterun", "-n", "2", "--map-by", ":oversubscribe"}),
                                 {.environment = {{"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                                                  {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}})
                             .wait(kDeadlineS);
  expect_one_campaign(sampled);
}

// An sshd on each of two hosts, with keys of this test.
class OverSsh : public Launchers {
 protected:
  void SetUp() override {
    Launchers::SetUp();
    std::string reason = Lab::missing();
    if (reason.empty() && !(has("/usr/sbin/sshd") && has("ssh"))) reason = "ssh is missing";
    if (!reason.empty()) GTEST_SKIP() << reason;
    lab_.emplace(Cluster{.rate = "1000mbit", .hosts = 2});
    ::mkdir("/run/sshd", 0755);  // where sshd locks its children in; Debian's service makes it
    for (const char* key : {"host", "user"}) {
      ASSERT_EQ(run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(key)}).exit_code, 0);
    }
    for (const char* host : {"h0", "h1"}) {
      daemons_.emplace_back(
          lab_->in(host, {"/usr/sbin/sshd", "-D", "-e", "-f", "none", "-h", path("host"), "-o",
                          "AuthorizedKeysFile=" + path("user.pub"), "-o", "StrictModes=no", "-o",
                          "UsePAM=no", "-o", "PidFile=none"}));
    }
    agent_ = script("agent", "exec ssh -q -F none -i " + path("user") +
                                 " -o IdentitiesOnly=yes -o StrictHostKeyChecking=no"
                                 " -o UserKnownHostsFile=/dev/null \"$@\"\n");
    for (int tries = 0; tries < 100 && !answers("h1"); ++tries) ::usleep(100'000);
    ASSERT_TRUE(answers("h1"));
  }
  bool answers(const std::string& host) const {
    return run(lab_->in("h0", {agent_, host, "hostname"})).out == host + "\n";
  }

  // A program of which rank 0 is of one MPI, and the others of another.
  std::string mixed(const std::string& rank, const std::string& first,
                    const std::string& others) const {
    return script("each", "[ $" + rank + " = 0 ] && mpi=" + first + " || mpi=" + others +
                              "\nexec " NMAD_SAMPLE " --mpi $mpi --parts mpi --budget 2s --db " +
                              path("a.db") + "\n");
  }
  // On both hosts, a rank each.
  Result mpirun(const std::vector<std::string>& program) const {
    const bool prte = has("prterun");  // from Open MPI 5 on
    std::vector<std::string> command = {"mpirun.openmpi",
                                        prte ? "--prtemca" : "--mca",
                                        prte ? "plm_ssh_agent" : "plm_rsh_agent",
                                        agent_,
                                        "--host",
                                        "h0,h1",
                                        "-n",
                                        "2"};
    command.insert(command.end(), program.begin(), program.end());
    return Process(lab_->in("h0", command),
                   {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                    {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                                    {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}})
        .wait(kDeadlineS);
  }

  std::optional<Lab> lab_;
  std::list<Process> daemons_;
  std::string agent_;  // ssh with that key
};

TEST_F(OverSsh, HydraStartsTheRanksOfOneCampaign) {
  if (!has("mpiexec.hydra")) GTEST_SKIP() << "mpich is missing";
  const Result sampled =
      Process(lab_->in("h0", campaign({"mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
                                       agent_, "-hosts", "h0,h1", "-n", "2"})))
          .wait(kDeadlineS);
  expect_one_campaign_of_two_hosts(sampled, "mpich");
}

// The rank of MPICH waits in MPI_Init for that of the other host, which is refused.
TEST_F(OverSsh, HydraEndsAJobWhoseOtherHostHasAnotherMpi) {
  if (!has("mpiexec.hydra") || !has("mpirun.openmpi")) GTEST_SKIP() << "one MPI only";
  const std::string each = mixed("PMI_RANK", "mpich", "openmpi");
  const Result refused =
      Process(lab_->in("h0", {"mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", agent_,
                              "-hosts", "h0,h1", "-n", "2", each}))
          .wait(kDeadlineS);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err,
              ContainsRegex("MPICH's mpiexec [0-9.]+ launched 2 ranks, but for Open MPI v[0-9]"));
}

TEST_F(OverSsh, MpirunEndsAJobWhoseOtherHostHasAnotherMpi) {
  if (!has("mpiexec.hydra") || !has("mpirun.openmpi")) GTEST_SKIP() << "one MPI only";
  const std::string each = mixed("OMPI_COMM_WORLD_RANK", "openmpi", "mpich");
  const Result refused = mpirun({each});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(
      refused.err,
      ContainsRegex("Open MPI's mpirun .*[0-9.]+.* launched 2 ranks, but for MPICH Version"));
}

TEST_F(OverSsh, MpirunOfOpenMpiStartsTheRanksOfOneCampaign) {
  if (!has("mpirun.openmpi")) GTEST_SKIP() << "Open MPI is missing";
  const Result sampled = mpirun(campaign({}));
  expect_one_campaign_of_two_hosts(sampled, "openmpi");
}

// In the manner of Apptainer: mpirun runs outside, as an ordinary user, and each rank in a
// container with a namespace of users and of mounts of its own, as the same user.
class InContainers : public Launchers, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    Launchers::SetUp();
    if (!has("bwrap")) GTEST_SKIP() << "bwrap is missing; scripts/install-packages test brings it";
    if (!has(mpirun().front())) GTEST_SKIP() << GetParam() << " is missing";
    if (::geteuid() == 0 && ::chown(path("").c_str(), kUser, kUser) != 0) {
      GTEST_SKIP() << "no folder of an ordinary user";
    }
    if (as_user(contained({NMAD_SAMPLE, "--version"})).exit_code != 0) {
      GTEST_SKIP() << "an ordinary user can make no container here, or read these sources";
    }
  }
  static std::vector<std::string> mpirun() {
    if (GetParam() == "openmpi") return {"mpirun.openmpi", "--oversubscribe", "-n", "2"};
    return {"mpiexec.hydra", "-n", "2"};
  }
  std::vector<std::string> contained(const std::vector<std::string>& command) const {
    std::vector<std::string> all = {"bwrap",      "--unshare-user", "--ro-bind", "/",      "/",
                                    "--dev-bind", "/dev",           "/dev",      "--proc", "/proc",
                                    "--bind",     path(""),         path("")};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  std::vector<std::string> job(const std::vector<std::string>& command) const {
    std::vector<std::string> all = mpirun();
    const std::vector<std::string> inside = contained(command);
    all.insert(all.end(), inside.begin(), inside.end());
    return all;
  }
  // UCX attaches shared memory by /proc, where a rank of another container is not found; later
  // versions refuse it between containers, and TCP is left.
  Result as_user(const std::vector<std::string>& command) const {
    return Process(command, {.environment = {{"HOME", path("")},
                                             {"TMPDIR", path("")},
                                             {"UCX_POSIX_USE_PROC_LINK", "n"},
                                             {"UCX_TLS", "posix,tcp,self"}},
                             .in_child =
                                 [] {
                                   if (::geteuid() != 0) return;
                                   const bool done = ::setgroups(0, nullptr) == 0 &&
                                                     ::setgid(kUser) == 0 && ::setuid(kUser) == 0;
                                   if (!done) std::abort();
                                 }})
        .wait(kDeadlineS);
  }

  static constexpr unsigned kUser = 65534;  // nobody
};

TEST_P(InContainers, RanksShareOneCampaign) {
  EXPECT_NE(as_user(contained({"id", "-u"})).out, "0\n");
  expect_one_campaign(as_user(job(campaign({}))));
}

TEST_P(InContainers, TheStackBelowThemIsSampled) {
  const Result sampled = as_user({NMAD_SAMPLE, "--stack", GetParam(), "--launcher",
                                  fmt::format("{}", fmt::join(job({}), " ")), "--rounds", "5",
                                  "--max-size", "4K", "--db", path("a.db")});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("Sampled "));
  EXPECT_THAT(tune({"show", "--db", path("a.db")}).out, HasSubstr(GetParam() + "/shm"));
}

TEST_P(InContainers, ThePreloadedLibraryServesThem) {
  const std::string library = interposed_library(GetParam());
  if (library.empty()) GTEST_SKIP() << "built without " << GetParam();
  compile_asp(GetParam(), path("asp"));
  const Result result = as_user(job({"env", "NMADTUNE_MPI=always", "NMADTUNE_MPI_REPORT=1",
                                     "LD_PRELOAD=" + library, path("asp"), "90", "4"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" verified"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 4 of 4 calls replaced"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, InContainers, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
