// SPDX-License-Identifier: BSD-3-Clause
//
// Programs with libnmadtune-mpi.so in front of their MPI, on hosts of a lab that are not alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/collectives/program.h"
#include "tests/lab/lab.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class UnlikeHosts : public InFrontOfMpi {
 protected:
  void SetUp() override {
    InFrontOfMpi::SetUp();
    if (IsSkipped()) return;
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    if (GetParam() == "mpich" && run({"mpichversion"}).out.find("\t4.0.") != std::string::npos) {
      GTEST_SKIP() << "MPI_Finalize of MPICH 4.0 at times waits for ever between these hosts, "
                      "without this library too";
    }
    lab_.emplace(Cluster{.rate = "1000mbit", .hosts = 2});
  }

  // Two ranks on the first host, the others on the second.
  Result between_hosts(int ranks, const std::vector<SegmentRule>& rules,
                       const std::vector<std::string>& program) const {
    std::vector<std::string> command = {"env", "LD_PRELOAD=" + library_,
                                        "NMADTUNE_DB=" + write_profile(rules),
                                        "NMADTUNE_MPI_REPORT=1", "NMADTUNE_LOG=decisions"};
    command.insert(command.end(), program.begin(), program.end());
    return run(lab_->job(GetParam(), {"--per-host", "2", "-n", std::to_string(ranks)}, command));
  }

  std::optional<Lab> lab_;
};

// The program broadcasts 20000 bytes from each of three roots, and 16000 once.
TEST_P(UnlikeHosts, OfTwoRanksAndOneFollowRulesWhereHostsOfTwoAndOfOneBothHaveThem) {
  const std::string program = compile("mpicc", "interposed.c");
  const SegmentRule of_two{.operation = "bcast",
                           .nodes = 2,
                           .ranks_per_node = 2,
                           .from_bytes = 1,
                           .to_bytes = std::nullopt,
                           .segment_bytes = 4096,
                           .algorithm = "chain"};
  SegmentRule of_one = of_two;
  of_one.ranks_per_node = 1;
  of_one.from_bytes = 18 << 10;
  for (const SegmentRule& single : {of_two, of_one}) {
    const Result result = between_hosts(3, {single}, {program});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of 5 calls replaced"));
  }
  const Result both = between_hosts(3, {of_two, of_one}, {program});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out, "good\n");
  EXPECT_THAT(both.err, HasSubstr("of 3 ranks, 2 x 1..2: these are replaced\n"
                                  "nmadtune:   bcast from 18 KiB: chain, segments of 4 KiB"));
  EXPECT_THAT(both.err, HasSubstr("nmadtune: bcast: 3 of 5 calls replaced"));
}

TEST_P(UnlikeHosts, OfOneNumaNodeAndOfTwoAgreeOnWhoLeads) {
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "two cores are needed";
  const std::string program = compile("mpicc", "interposed.c");
  std::filesystem::create_directories(path("numa/node0"));
  std::filesystem::create_directories(path("numa/node1"));
  write("numa/online", "0-1\n");
  write("numa/node0/cpulist", "0\n");
  write("numa/node1/cpulist", "1-1023\n");
  std::vector<SegmentRule> rules;
  for (const std::string operation : {"bcast", "reduce", "allreduce", "allgather"}) {
    rules.push_back({.operation = operation,
                     .nodes = 2,
                     .ranks_per_node = 2,
                     .from_bytes = 1,
                     .segment_bytes = 1024,
                     .algorithm = operation == "allgather" ? "leaders" : "chain",
                     .leaders = 2});
  }
  const std::string on_second = "mount --bind " + path("numa") +
                                " /sys/devices/system/node && exec taskset --cpu-list "
                                "$((${OMPI_COMM_WORLD_RANK-$PMI_RANK} % 2)) " +
                                program + " in-place";
  const std::string there = "test $(hostname) = h1 || exec " + program +
                            " in-place; exec unshare --mount sh -c '" + on_second + "'";
  const Result result = between_hosts(4, rules, {"sh", "-c", there});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce: 4 of 4 calls replaced"));
  EXPECT_THAT(result.err, Not(HasSubstr("nmadtune: bcast: 0 of")));
}

INSTANTIATE_TEST_SUITE_P(Mpis, UnlikeHosts, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
