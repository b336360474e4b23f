// SPDX-License-Identifier: BSD-3-Clause
//
// Several leaders of a node, on a machine that says, in a mount namespace, that its cores belong to
// two NUMA nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "profiledb/profiledb.h"
#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class TwoNumaNodes : public InFrontOfMpi {
 protected:
  void SetUp() override {
    InFrontOfMpi::SetUp();
    if (IsSkipped()) return;
    std::filesystem::create_directories(path("numa/node0"));
    std::filesystem::create_directories(path("numa/node1"));
    write("numa/online", "0-1\n");
    write("numa/node0/cpulist", "0\n");
    write("numa/node1/cpulist", "1-1023\n");
    if (::geteuid() != 0 || ::sysconf(_SC_NPROCESSORS_ONLN) < 2 ||
        run({"unshare", "--mount", "true"}).exit_code != 0) {
      GTEST_SKIP() << "a mount namespace and two cores are needed, as root";
    }
  }

  // Ranks by turns on the first and the second core.
  std::vector<std::string> there(const std::string& program) const {
    return {"unshare", "--mount", "sh", "-c",
            "mount --bind " + path("numa") +
                " /sys/devices/system/node && exec taskset --cpu-list "
                "$((${OMPI_COMM_WORLD_RANK-$PMI_RANK} % 2)) " +
                program};
  }
};

TEST_P(TwoNumaNodes, CouldHaveTwoLeaders) {
  const std::string program = compile("mpicc", "leaders.c");
  const Result two = job(there(program + " " + library_), 4, {}, false);
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(two.out, "2\n");
  const Result one = job({program, library_}, 4, {}, false);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, "");
}

TEST_P(TwoNumaNodes, GiveTheSameResultsWithTwoLeaders) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result own = job({program}, 3, {}, false);
  std::vector<SegmentRule> rules;
  for (const std::string operation :
       {"bcast", "reduce", "allreduce", "allgather", "alltoall", "alltoallv"}) {
    rules.push_back({.operation = operation,
                     .nodes = 1,
                     .ranks_per_node = 3,
                     .from_bytes = 1,
                     .segment_bytes = 1024,
                     .algorithm = operation == "allgather"            ? "leaders"
                                  : operation.starts_with("alltoall") ? "nodes"
                                                                      : "chain",
                     .leaders = 2});
  }
  const Result result = job(
      there(program + " in-place"), 3,
      {{"NMADTUNE_DB", write_profile(rules, {{"numa_nodes", "2"}})}, {"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, own.out);
  EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce: 3 of 3 calls replaced"));
}

// Ranks 0 and 2 are on one of them, 1 and 3 on the other.
TEST_P(TwoNumaNodes, GiveTheSameResultsAroundARing) {
  const std::string program = compile("mpicc", "interposed.c");
  for (const std::string algorithm : {"ring", "neighbors"}) {
    const SegmentRule rule{.operation = "allgather",
                           .nodes = 1,
                           .ranks_per_node = 4,
                           .from_bytes = 1,
                           .segment_bytes = 1024,
                           .algorithm = algorithm,
                           .leaders = 1};
    const Result result = job(there(program), 4,
                              {{"NMADTUNE_DB", write_profile({rule}, {{"numa_nodes", "2"}})},
                               {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("good"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: allgather: 1 of "));
  }
}

TEST_P(TwoNumaNodes, AreSampledWithTwoLeadersInTheWayThatIsBestWithOne) {
  std::set<std::string> with_two;  // those in which one leader was not given up at all sizes
  // Sizes that 20 s are enough for, up to one or another at which ours is not given up at once.
  for (const std::string size : {GetParam() == "openmpi" ? "1M" : "16K", "64K", "256K"}) {
    std::string command;
    for (const std::string& word :
         sample_command({"--db", path(size), "--parts", "collectives", "--shapes", "own",
                         "--budget", "20s", "--max-size", size})) {
      command += word + " ";
    }
    const Result result = job(there(command), 4, {}, false);
    EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
    const profiledb::ProfileDb profile(path(size), {});
    for (const Platform& platform : profile.platforms()) {
      for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
        for (const auto& sample : set.samples) {
          if (sample.condition.leaders != 2) continue;
          with_two.insert(sample.condition.operation);
          EXPECT_NE(sample.condition.algorithm, "library");
          EXPECT_FALSE(sample.repetitions.empty());
        }
      }
    }
    if (!with_two.empty()) break;
  }
  EXPECT_FALSE(with_two.empty());
}

INSTANTIATE_TEST_SUITE_P(Mpis, TwoNumaNodes, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
