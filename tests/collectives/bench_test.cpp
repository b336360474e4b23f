// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench collectives, in jobs of real MPIs on this node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class BenchCollectives : public InFrontOfMpi {
 protected:
  Result bench_in_job(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {NMAD_BENCH, "collectives", "--rounds", "3"});
    return job(arguments, 2, {}, false);
  }
};

TEST_P(BenchCollectives, TellsBothTimesOfEachOperationAndSizeOnce) {
  const std::vector<std::string> arguments = {"--operations", "bcast,reduce", "--sizes", "64,16K",
                                              "--no-profile"};
  std::vector<std::string> as_json = arguments, as_csv = arguments;
  as_json.push_back("--json");
  as_csv.push_back("--csv");
  const Result result = bench_in_job(as_json);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json::Value told = document(result);
  EXPECT_EQ(at(told, "ranks"), json::Value(2));
  const json::Value cells = at(told, "cells");
  ASSERT_EQ(cells.get_if<json::Value::Array>()->size(), 4u);
  for (const json::Value& cell : *cells.get_if<json::Value::Array>()) {
    const double ours_ns = *at(cell, "ours_ns").get_if<double>();
    const double library_ns = *at(cell, "library_ns").get_if<double>();
    EXPECT_GT(ours_ns, 0);
    EXPECT_DOUBLE_EQ(*at(cell, "ratio").get_if<double>(), library_ns / ours_ns);
    EXPECT_EQ(at(cell, "advice"), json::Value("-"));
  }
  const Result csv = bench_in_job(as_csv);
  EXPECT_THAT(csv.out, StartsWith("operation,size_bytes,algorithm,segment_bytes,ours_ns,"));
  EXPECT_EQ(count(csv.out, "\n"), 5) << csv.out;
}

TEST_P(BenchCollectives, RunsEachOperation) {
  const Result result = bench_in_job({"--sizes", "1K", "--no-profile", "--csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string row :
       {"bcast,1024,chain", "reduce,1024,chain", "allreduce,1024,chain", "allgather,1024,leaders",
        "allgatherv,1024,leaders", "alltoall,1024,nodes", "alltoallv,1024,nodes",
        "barrier,0,dissemination", "gather,1024,nodes", "scatter,1024,nodes",
        "reduce_scatter,1024,leaders", "reduce_scatter_block,1024,leaders"}) {
    EXPECT_THAT(result.out, HasSubstr("\n" + row + ",0,"));
  }
}

TEST_P(BenchCollectives, PlaysWhatTheProfileSaysForThisShape) {
  SegmentRule rule = {.operation = "allgather",
                      .nodes = 1,
                      .ranks_per_node = 2,
                      .from_bytes = 1024,
                      .to_bytes = 8192,
                      .segment_bytes = 512,
                      .algorithm = "ring"};
  std::vector<SegmentRule> rules = {rule};
  rule.from_bytes = 8192;
  rule.to_bytes = std::nullopt;
  rule.algorithm = "library";
  rules.push_back(rule);
  const Result result = bench_in_job({"--operations", "allgather", "--sizes", "512,4K,16K", "--csv",
                                      "--db", write_profile(rules)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nallgather,512,leaders,0,"));
  EXPECT_THAT(result.out, HasSubstr("\nallgather,4096,ring,512,"));
  EXPECT_THAT(result.out, HasSubstr(",ours\nallgather,16384,leaders,0,"));
  EXPECT_THAT(result.out, HasSubstr(",library\n"));
}

TEST_P(BenchCollectives, PlaysRulesOfItsOwnMpiAndPredictedOnesToo) {
  SegmentRule other = {.operation = "allgather",
                       .nodes = 1,
                       .ranks_per_node = 2,
                       .to_bytes = std::nullopt,
                       .segment_bytes = 256,
                       .algorithm = "neighbors",
                       .mpi = "Some MPI 9.9"};
  SegmentRule predicted = other;
  predicted.segment_bytes = 512;
  predicted.algorithm = "ring";
  predicted.mpi = "";
  predicted.nodes_max = 1;
  predicted.ranks_per_node_max = 3;
  const Result result = bench_in_job({"--operations", "allgather", "--sizes", "4K", "--csv", "--db",
                                      write_profile({other, predicted})});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nallgather,4096,ring,512,"));
}

// As a job with the library in front would.
TEST_P(BenchCollectives, PlaysAlgorithmsOfTheMpiThatCanBeSet) {
  std::vector<SegmentRule> rules = {{.operation = "allgather",
                                     .nodes = 1,
                                     .ranks_per_node = 2,
                                     .from_bytes = 1024,
                                     .to_bytes = 8192,
                                     .segment_bytes = 0,
                                     .algorithm = "library:ring"}};
  rules.push_back(rules.front());
  rules.back().from_bytes = 8192;
  rules.back().to_bytes = std::nullopt;
  rules.back().algorithm = "library:of_another_version";
  const Result result =
      job({NMAD_BENCH, "collectives", "--rounds", "3", "--operations", "allgather", "--sizes",
           "4K,16K", "--csv", "--db", write_profile(rules)},
          2, {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}}, false);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nallgather,4096,library:ring,0,"));
  EXPECT_THAT(result.out, HasSubstr(",ours\nallgather,16384,leaders,0,"));
  EXPECT_THAT(result.out, HasSubstr(",library\n"));
}

TEST_P(BenchCollectives, OneRankRefusesForAllWhatCannotBe) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--operations", "bcst"}, "did you mean 'bcast'"},
      {{"--sizes", "4"}, "--sizes: 8 to "},
      {{"--rounds", "0"}, "--rounds: 1 to 10000, not 0"}};
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> all = {NMAD_BENCH, "collectives", "--no-profile"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Result result = job(all, 2, {}, false);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(count(result.err, message), 1) << result.err;
  }
  const Result alone = bench({"collectives"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err,
              HasSubstr("no MPI launched this process; run mpirun -n 4 nmad-bench collectives"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, BenchCollectives, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
