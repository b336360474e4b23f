// SPDX-License-Identifier: BSD-3-Clause
//
// MPI programs with libnmadtune-mpi.so in front of their MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A matrix of 200 on two by two ranks.
constexpr char kHpccInput[] = R"(HPLinpack benchmark input file

HPL.out output file name (if any)
8       device out
1       # of problem sizes (N)
200     Ns
1       # of NBs
32      NBs
0       PMAP process mapping
1       # of process grids (P x Q)
2       Ps
2       Qs
16.0    threshold
1       # of panel fact
2       PFACTs
1       # of recursive stopping criterium
4       NBMINs
1       # of panels in recursion
2       NDIVs
1       # of recursive panel fact.
1       RFACTs
1       # of broadcast
1       BCASTs
1       # of lookahead depth
1       DEPTHs
2       SWAP
64      swapping threshold
0       L1 in form
0       U in form
1       Equilibration
8       memory alignment in double
#
0       Number of additional problem sizes for PTRANS
1200
0       number of additional blocking sizes for PTRANS
40
)";

class Interposed : public InFrontOfMpi {
 protected:
  // Some calls of the operation were.
  static bool replaced(const Result& result, const std::string& operation) {
    return count(result.err, "nmadtune: " + operation + ": ") == 1 &&
           count(result.err, "nmadtune: " + operation + ": 0 of ") == 0;
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
    // One is of MPI_COMM_SELF.
    EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoall: 7 of 8 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoallv: 7 of 8 calls replaced"));
    // One is of MPI_COMM_SELF, and one between groups.
    EXPECT_THAT(result.err, HasSubstr("nmadtune: barrier: 10 of 12 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce_scatter_block: 2 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce_scatter: 4 of 4 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: allgatherv: 4 of 4 calls replaced"));
    // One is between groups.
    EXPECT_THAT(result.err, HasSubstr("nmadtune: gather: 11 of 12 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: scatter: 11 of 12 calls replaced"));
  }
}

// For one node of two to four ranks.
TEST_P(Interposed, APredictedRuleHoldsForEachShapeOfItsRange) {
  const std::string program = compile("mpicc", "library_calls.c");
  const std::string profile = write_profile({{.operation = "bcast",
                                              .nodes = 1,
                                              .ranks_per_node = 2,
                                              .from_bytes = 1,
                                              .to_bytes = std::nullopt,
                                              .segment_bytes = 1024,
                                              .algorithm = "chain",
                                              .nodes_max = 1,
                                              .ranks_per_node_max = 4}});
  for (const int ranks : {2, 3, 4, 5}) {
    const Result result =
        job({program}, ranks, {{"NMADTUNE_DB", profile}, {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("good"));
    EXPECT_EQ(replaced(result, "bcast"), ranks <= 4) << ranks << "\n" << result.err;
  }
}

TEST_P(Interposed, OperationsOfTheProgramAreReplacedWhereTheyCommute) {
  const std::string program = compile("mpicc", "operators.c");
  EXPECT_EQ(job({program}, 3, {}, false).out, "good\n");
  const Result result =
      job({program}, 3, {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  // The last Allreduce is the program's own sum.
  for (const std::string calls : {"reduce: 1 of 2", "allreduce: 2 of 3",
                                  "reduce_scatter_block: 1 of 2", "reduce_scatter: 1 of 2"}) {
    EXPECT_THAT(result.err, HasSubstr("nmadtune: " + calls + " calls replaced"));
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
  EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoall: 2 of 2 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoallv: 2 of 2 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: barrier: 3 of 3 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce_scatter_block: 1 of 1 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce_scatter: 1 of 1 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: allgatherv: 1 of 1 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: gather: 2 of 2 calls replaced"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: scatter: 2 of 2 calls replaced"));
}

TEST_P(Interposed, AFortranProgramOfMpiF08OnlyIsReachedToo) {
  if (run({"sh", "-c", "command -v mpifort." + GetParam()}).exit_code != 0) {
    GTEST_SKIP() << "mpifort." << GetParam() << " is missing";
  }
  const std::string program = compile("mpifort", "interposed_f08.f90");
  const std::vector<std::string> by_init = {program}, by_init_thread = {program, "thread"};
  for (const std::vector<std::string>& command : {by_init, by_init_thread}) {
    const Result result =
        job(command, 3, {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
    for (const std::string operation :
         {"allreduce", "alltoall", "barrier", "allgather", "allgatherv", "reduce_scatter",
          "reduce_scatter_block", "reduce", "gather", "scatter", "alltoallv"}) {
      EXPECT_THAT(result.err, HasSubstr("nmadtune: " + operation + ": 1 of 1 calls replaced"));
    }
    // The second one is of every second element.
    EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 2 of 2 calls replaced"));
  }
}

TEST_P(Interposed, RanksMayCountInIntOrInMpiCount) {
  const std::string program = compile("mpicc", "large_counts.c");
  for (const std::string when : {"always", "never"}) {
    const Result result =
        job({"timeout", "20", program}, 3, {{"NMADTUNE_MPI", when}, {"NMADTUNE_MPI_REPORT", "1"}});
    if (result.out == "no large counts\n") GTEST_SKIP() << GetParam() << " is older than MPI 4";
    EXPECT_EQ(result.out, "good\n") << result.err;
    if (when == "never") continue;
    EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 2 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce: 2 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: allreduce: 2 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: allgather: 2 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoall: 2 of 2 calls replaced"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoallv: 2 of 2 calls replaced"));
    for (const std::string operation :
         {"gather", "scatter", "reduce_scatter_block", "reduce_scatter", "allgatherv"}) {
      EXPECT_THAT(result.err, HasSubstr("nmadtune: " + operation + ": 2 of 2 calls replaced"));
    }
  }
}

// Small ones are left to the MPI, with ever fewer looks: the last of these leaves 34 large ones
// too.
TEST_P(Interposed, UnequalCallsAreLookedAtTogetherWhereThatPays) {
  const std::string program = compile("mpicc", "unequal_calls.c");
  for (const std::string algorithm : {"nodes", "pairwise", "direct4"}) {
    const SegmentRule large = {.operation = "alltoallv",
                               .nodes = 1,
                               .ranks_per_node = 3,
                               .from_bytes = 16384,
                               .to_bytes = std::nullopt,
                               .segment_bytes = 8192,
                               .algorithm = algorithm};
    const Result result =
        job({program}, 3, {{"NMADTUNE_DB", write_profile({large})}, {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.out, "good\n") << result.err;
    EXPECT_THAT(result.err, HasSubstr("nmadtune: alltoallv: 76 of 210 calls replaced"));
  }
}

TEST_P(Interposed, AspFindsTheShortestPaths) {
  const std::string program = compile("mpicc", "../../examples/asp/asp.c");
  const Result result =
      job({program, "90"}, 3, {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(replaced(result, "bcast")) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" verified"));
}

// Debian's build of the HPC Challenge benchmark, which checks its results.
TEST_P(Interposed, APackagedProgramRunsUnchanged) {
  if (GetParam() != "openmpi") GTEST_SKIP() << "it is built for Open MPI";
  if (run({"sh", "-c", "command -v hpcc"}).exit_code != 0) GTEST_SKIP() << "hpcc is missing";
  std::ofstream(path("hpccinf.txt")) << kHpccInput;
  const Result result = job({"sh", "-c", "cd " + path("") + " && exec hpcc"}, 4,
                            {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}}, true,
                            250);  // four ranks that poll: a minute where others want the cores
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string told = read("hpccoutf.txt");
  EXPECT_THAT(told, HasSubstr("\nSuccess=1\n"));
  EXPECT_THAT(told, Not(HasSubstr("FAILED\n")));
  for (const std::string operation : {"bcast", "reduce", "allreduce", "alltoall"}) {
    EXPECT_TRUE(replaced(result, operation)) << result.err;
  }
}

// Intel's benchmarks, for whoever has them.
TEST_P(Interposed, IntelsBenchmarksRunUnchanged) {
  const Result linked = run({"sh", "-c", "ldd \"$(command -v IMB-MPI1)\""});
  if (linked.exit_code != 0) GTEST_SKIP() << "IMB-MPI1 is missing, and no package of Debian has it";
  const std::string needed = GetParam() == "openmpi" ? "libmpi.so" : "libmpich.so";
  if (count(linked.out, needed) == 0) GTEST_SKIP() << "IMB-MPI1 is not built for " << GetParam();
  const Result result = job({"IMB-MPI1", "-npmin", "4", "-iter", "20", "-msglog", "0:20", "Bcast",
                             "Reduce", "Allreduce", "Allgather", "Alltoall"},
                            4, {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("# All processes entering MPI_Finalize"));
  for (const std::string operation : {"bcast", "reduce", "allreduce", "allgather", "alltoall"}) {
    EXPECT_TRUE(replaced(result, operation)) << result.err;
  }
}

TEST_P(Interposed, WithoutAProfileNothingIsReplacedAndOneRankSaysSo) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result result = job({program}, 2, {{"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of 4 calls replaced"));
  EXPECT_EQ(count(result.err, "the MPI's own collectives are used"), 1) << result.err;
}

TEST_P(Interposed, AMisspeltVariableIsTold) {
  const std::string program = compile("mpicc", "interposed.c");
  const Result result = job({program}, 2, {{"NMADTUNE_MPI", "alway"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count(result.err, "NMADTUNE_MPI=alway is not a known value; write always or never"), 1);
}

// The program broadcasts 20000 bytes from each of three roots, and 16000 once.
TEST_P(Interposed, ARuleIsForItsSizesAndForItsShapeOnly) {
  SegmentRule small{.operation = "bcast",
                    .nodes = 1,
                    .ranks_per_node = 3,
                    .to_bytes = 20000,
                    .segment_bytes = 4096,
                    .algorithm = "library"};
  SegmentRule large = small;
  large.from_bytes = 20000;
  large.to_bytes = std::nullopt;
  large.algorithm = "chain";
  const std::string program = compile("mpicc", "interposed.c");
  const Environment by_rules{{"NMADTUNE_DB", write_profile({small, large})},
                             {"NMADTUNE_MPI_REPORT", "1"}};
  EXPECT_THAT(job({program}, 3, by_rules).err, HasSubstr("nmadtune: bcast: 3 of 5 calls"));
  EXPECT_THAT(job({program}, 2, by_rules).err, HasSubstr("nmadtune: bcast: 0 of "));
}

TEST_P(Interposed, FollowsTheRulesOfItsOwnMpiAndLeavesThoseOfOthersAlone) {
  SegmentRule own{.operation = "bcast",
                  .nodes = 1,
                  .ranks_per_node = 3,
                  .segment_bytes = 4096,
                  .algorithm = "chain"};
  SegmentRule other = own;
  other.mpi = "Some MPI 9.9";
  const std::string program = compile("mpicc", "interposed.c");
  const auto err = [&](std::vector<SegmentRule> rules) {
    const Environment environment{{"NMADTUNE_DB", write_profile(std::move(rules))},
                                  {"NMADTUNE_MPI_REPORT", "1"}};
    return job({program}, 3, environment).err;
  };
  // One of the five is of a communicator of another shape.
  EXPECT_THAT(err({other, own}), HasSubstr("nmadtune: bcast: 4 of 5 calls"));
  const std::string left_alone = err({other});
  EXPECT_THAT(left_alone, HasSubstr("nmadtune: bcast: 0 of 5 calls"));
  EXPECT_THAT(left_alone, HasSubstr("the collectives of the profile were sampled under Some MPI "
                                    "9.9, and this job runs under " +
                                    mpi_name()));
}

// Only the twenty that live for a call of each are of several ranks and of one group.
TEST_P(Interposed, CommunicatorsOfOneRankAndBetweenGroupsAreLeftAlone) {
  const std::string program = compile("mpicc", "odd_communicators.c");
  for (const std::string copies : {"", "messages"}) {
    const Result result = job({program}, 3,
                              {{"NMADTUNE_MPI", "always"},
                               {"NMADTUNE_MPI_COPIES", copies},
                               {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
    for (const std::string operation : {"bcast", "reduce", "allreduce", "allgather"}) {
      EXPECT_THAT(result.err, HasSubstr("nmadtune: " + operation + ": 20 of 23 calls replaced"));
    }
  }
}

// Else a rank that knows other rules would wait for one that does not.
TEST_P(Interposed, RanksThatFindOtherProfilesFollowThatOfRankZero) {
  const std::string program = compile("mpicc", "interposed.c");
  SegmentRule rule{.operation = "bcast",
                   .nodes = 1,
                   .ranks_per_node = 3,
                   .segment_bytes = 4096,
                   .algorithm = "chain"};
  const std::string chain = path("chain.nmt");
  std::filesystem::copy_file(write_profile({rule}), chain);
  rule.algorithm = "binomial";
  rule.from_bytes = 18000;
  const std::string binomial = write_profile({rule});
  const std::string damaged = write("damaged.nmt", "no profile");
  const auto err = [&](const std::string& of_zero, const std::string& of_one,
                       const std::string& of_two) {
    const std::string chosen = "case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 0) db=" + of_zero +
                               ";; 1) db=" + of_one + ";; *) db=" + of_two +
                               ";; esac; NMADTUNE_DB=$db exec " + program;
    const Result result = job({"sh", "-c", chosen}, 3, {{"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
    return result.err;
  };
  EXPECT_THAT(err(chain, binomial, damaged), HasSubstr("nmadtune: bcast: 4 of 5 calls"));
  EXPECT_THAT(err(binomial, chain, path("none.db")), HasSubstr("nmadtune: bcast: 3 of 5 calls"));
  EXPECT_THAT(err(path("none.db"), chain, chain), HasSubstr("nmadtune: bcast: 0 of 5 calls"));
}

// The other ranks leave the Bcast to the MPI, so nobody waits for the rank that is wrong.
TEST_P(Interposed, AWrongCountWhereNothingIsReplacedSpoilsNoLaterCall) {
  const std::string program = compile("mpicc", "wrong_count.c");
  const SegmentRule rule{.operation = "reduce",
                         .nodes = 1,
                         .ranks_per_node = 3,
                         .from_bytes = 1,
                         .to_bytes = std::nullopt,
                         .segment_bytes = 4096,
                         .algorithm = "chain"};
  SegmentRule of_others = rule;
  of_others.operation = "bcast";
  of_others.ranks_per_node = 2;
  for (const std::vector<SegmentRule>& rules :
       {std::vector<SegmentRule>{rule}, std::vector<SegmentRule>{rule, of_others}}) {
    const Result result = job({program}, 3,
                              {{"NMADTUNE_DB", write_profile(rules)},
                               {"NMADTUNE_MPI_REPORT", "1"},
                               {"UCX_LOG_LEVEL", "error"}});  // it warns of what nobody received
    EXPECT_EQ(result.out, "good\n") << result.err;
    EXPECT_THAT(result.err, HasSubstr("nmadtune: reduce: 2 of 2 calls replaced"));
  }
}

// The last rank sees another processor, as if its node had one. Rank 0 has found its own.
TEST_P(Interposed, NodesThatAreNotAlikeMeanTheMpisOwnAndOneWarning) {
  const std::string program = compile("mpicc", "interposed.c");
  const SegmentRule rule{.operation = "bcast",
                         .nodes = 1,
                         .ranks_per_node = 3,
                         .from_bytes = 1,
                         .to_bytes = std::nullopt,
                         .segment_bytes = 4096,
                         .algorithm = "chain"};
  const std::string other = write("cpuinfo", "vendor_id : Other\nmodel name : Other\n");
  const std::string mount = "mount --bind " + other + " /proc/cpuinfo";
  if (run({"unshare", "--mount", "sh", "-c", mount}).exit_code != 0) {
    GTEST_SKIP() << "no mount namespaces";
  }
  const auto run_where = [&](const std::string& rank_of_other, const std::string& when) {
    const std::string chosen = "test ${OMPI_COMM_WORLD_RANK-$PMI_RANK} = " + rank_of_other +
                               " || exec " + program + "; exec unshare --mount sh -c '" + mount +
                               " && exec " + program + "'";
    const Result result = job({"sh", "-c", chosen}, 3,
                              {{"NMADTUNE_DB", write_profile({rule})},
                               {"NMADTUNE_MPI", when},
                               {"NMADTUNE_MPI_REPORT", "1"}});
    EXPECT_EQ(result.out, "good\n") << result.err;
    return result.err;
  };
  const std::string warning = "the node of rank 2 differs from that of rank 0";
  const std::string alike = run_where("9", ""), unlike = run_where("2", "");
  EXPECT_THAT(alike, HasSubstr("nmadtune: bcast: 4 of 5 calls replaced"));
  EXPECT_EQ(count(alike, warning), 0) << alike;
  EXPECT_THAT(unlike, HasSubstr("nmadtune: bcast: 0 of 5 calls replaced"));
  EXPECT_EQ(count(unlike, warning), 1) << unlike;
  EXPECT_THAT(run_where("2", "always"), HasSubstr("nmadtune: bcast: 4 of 5 calls replaced"));
}

// Of the job's communicator and of each half of it, by its own rank 0.
TEST_P(Interposed, PrintsOnceWhatIsReplacedOnACommunicator) {
  const std::string program = compile("mpicc", "interposed.c");
  const SegmentRule rule{.operation = "bcast",
                         .nodes = 1,
                         .ranks_per_node = 3,
                         .from_bytes = 16384,
                         .to_bytes = std::nullopt,
                         .segment_bytes = 4096,
                         .algorithm = "binary"};
  SegmentRule none = rule;
  none.operation = "allgather";
  none.algorithm = "ring";
  none.ranks_per_node = 2;
  none.from_bytes = 1 << 20;  // more than the program gathers
  Environment environment{{"NMADTUNE_DB", write_profile({rule, none})},
                          {"NMADTUNE_LOG", "decisions"}};
  const Result result = job({program}, 3, environment);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count(result.err, "of 3 ranks, 1 x 3: these are replaced\n"), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nmadtune:   bcast from 16 KiB: binary, segments of 4 KiB, "
                                    "1 leader of a node\n"));
  EXPECT_EQ(count(result.err, ": platform planted, measured "), 1) << result.err;
  environment["NMADTUNE_LOG"] = "decisons";
  const Result misspelt = job({program}, 3, environment);
  EXPECT_EQ(
      count(misspelt.err, "NMADTUNE_LOG has no topic decisons; topics are: decisions, transfers"),
      1)
      << misspelt.err;
}

INSTANTIATE_TEST_SUITE_P(Mpis, Interposed, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
