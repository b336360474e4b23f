// SPDX-License-Identifier: BSD-3-Clause
//
// The report on the collectives of a program, before anything is replaced (NMADTUNE_MPI=never).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>

#include "core/json.h"
#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CallReports : public InFrontOfMpi {
 protected:
  Result reported(const std::string& program, const std::string& form, int ranks = 4,
                  std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), program);
    return job(arguments, ranks, {{"NMADTUNE_MPI", "never"}, {"NMADTUNE_MPI_REPORT", form}});
  }

  // The one line of JSON among what the job printed.
  static json::Value report_in(const Result& result) {
    std::istringstream lines(result.err);
    std::string line;
    while (std::getline(lines, line)) {
      if (line.starts_with("{\"report\"")) return json::parse(line, "report");
    }
    ADD_FAILURE() << "no report: " << result.err;
    return json::Value::object();
  }

  // The row of that operation, shape and size; null where there is none.
  static json::Value row(const json::Value& report, const std::string& operation,
                         std::optional<int> ranks_per_node = 4, bool blocking = true) {
    const json::Value* rows = report.find("rows");
    if (rows == nullptr) return {};
    for (const json::Value& each : *rows->get_if<json::Value::Array>()) {
      const bool same = *each.find("operation") == json::Value(operation) &&
                        *each.find("blocking") == json::Value(blocking) &&
                        *each.find("ranks_per_node") ==
                            (ranks_per_node ? json::Value(*ranks_per_node) : json::Value());
      if (same) return each;
    }
    return {};
  }
  static double of(const json::Value& row, const std::string& member) {
    const json::Value* value = row.find(member);
    if (value == nullptr) return -1;
    if (const auto* number = value->get_if<double>()) return *number;
    if (const auto* number = value->get_if<std::int64_t>()) return static_cast<double>(*number);
    return -1;
  }

  static void expect_one_of_each(const json::Value& report) {
    struct Expected {
      const char* operation;
      double mean_bytes;
      double from_bytes;  // -1: ranks may differ
    };
    for (const Expected& expected :
         std::initializer_list<Expected>{{"gather", 300, 256},
                                         {"gatherv", 100, -1},
                                         {"scatter", 5000, 4096},
                                         {"scatterv", 100, -1},
                                         {"allgatherv", 100, 64},
                                         {"alltoall", 20, 16},
                                         {"alltoallv", 400, -1},
                                         {"reduce_scatter", 100, 64},
                                         {"reduce_scatter_block", 70, 64},
                                         {"scan", 100, 64},
                                         {"exscan", 100, 64},
                                         {"reduce", 1000, 256}}) {
      const json::Value found = row(report, expected.operation);
      EXPECT_EQ(of(found, "calls"), 1) << expected.operation;
      EXPECT_EQ(of(found, "mean_bytes"), expected.mean_bytes) << expected.operation;
      EXPECT_EQ(of(found, "from_bytes"), expected.from_bytes) << expected.operation;
      EXPECT_GT(of(found, "call_ns"), 0) << expected.operation;
    }
    EXPECT_EQ(of(row(report, "alltoallw"), "calls"), 1);
  }
};

TEST_P(CallReports, CountEachCallOfEachSizeAndShape) {
  const Result result = reported(compile("mpicc", "reported.c"), "json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  const json::Value report = report_in(result);
  EXPECT_EQ(of(report, "ranks"), 4);
  EXPECT_EQ(of(report, "nodes"), 1);
  expect_one_of_each(report);
  EXPECT_EQ(of(row(report, "barrier"), "calls"), 600);
  EXPECT_LE(of(row(report, "barrier"), "sampled_calls"), 512);
  EXPECT_GT(of(row(report, "barrier"), "sampled_calls"), 100);
  EXPECT_EQ(of(row(report, "allgather", 2), "calls"), 14);
  EXPECT_EQ(of(row(report, "allgather", 2), "mean_bytes"), 600);
  EXPECT_EQ(of(row(report, "allreduce", 4, false), "calls"), 3);
  EXPECT_EQ(of(row(report, "barrier", 4, false), "calls"), 1);
  EXPECT_EQ(of(row(report, "bcast"), "calls"), -1);
  EXPECT_EQ(of(row(report, "bcast", 1), "calls"), -1) << "a call that failed";
}

// Of 10 Allreduces one rank waits 100 ms for the other, by turns; of 5 Bcasts 200 ms for the root.
// Two ranks, since MPICH's wait on a core each. The program says what became of that, for other
// work on the machine makes ranks late too, and data slow to move.
TEST_P(CallReports, TellWaitingForALateRankFromMovingData) {
  const Result result = reported(compile("mpicc", "reported.c"), "json", 2, {"late"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json::Value report = report_in(result);
  const double run_ns = of(report, "run_ns");
  std::istringstream told(result.out);
  for (const std::string operation : {"allreduce", "bcast"}) {
    std::string name;
    double waited_ns = 0, moved_ns = 0;
    told >> name >> waited_ns >> moved_ns;
    ASSERT_EQ(name, operation) << result.out;
    ASSERT_GT(waited_ns, 0) << operation;
    const json::Value late = row(report, operation, 2);
    const double waiting_ns = of(late, "waiting_share") * run_ns;
    const double moving_ns = of(late, "share") * run_ns - waiting_ns;
    EXPECT_EQ(of(late, "calls"), operation == "bcast" ? 5 : 10);
    EXPECT_EQ(of(late, "sampled_calls"), of(late, "calls"));
    // A rank may lose its core between its own look at the clock and the library's.
    const double between_looks_ns = 0.05 * (waited_ns + moved_ns);
    EXPECT_NEAR(waiting_ns, waited_ns, between_looks_ns) << operation;
    EXPECT_NEAR(moving_ns, moved_ns, between_looks_ns) << operation;
  }
}

TEST_P(CallReports, FitIntoATerminalAndSayWhyThereAreNoPredictions) {
  const Result result = reported(compile("mpicc", "reported.c"), "1");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nmadtune: report on collectives of 4 ranks on 1 node, "));
  EXPECT_THAT(result.err, HasSubstr("reduce_scatter_block"));
  EXPECT_THAT(result.err, HasSubstr("1 x 4"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: what replacing would gain is not known:\n"));
  EXPECT_THAT(result.err, HasSubstr("no such profile"));
  EXPECT_THAT(result.err, Not(HasSubstr("calls replaced")));
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) continue;  // Open MPI 5 on interfaces, "[host][[job],rank][file:..."
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST_P(CallReports, CountFortranOnceByMpifAndByBothModules) {
  if (run({"sh", "-c", "command -v mpifort." + GetParam()}).exit_code != 0) {
    GTEST_SKIP() << "mpifort." << GetParam() << " is missing";
  }
  const Result result = reported(compile("mpifort", "reported.f90"), "json", 3);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("good"));
  const json::Value report = report_in(result);
  for (const std::string operation :
       {"barrier", "bcast", "gather", "scatterv", "alltoall", "alltoallw", "allreduce"}) {
    EXPECT_EQ(of(row(report, operation, 3), "calls"), 3) << operation;
  }
  EXPECT_EQ(of(row(report, "gather", 3), "mean_bytes"), 80);
  EXPECT_EQ(of(row(report, "allreduce", 3, false), "calls"), 3);
}

// Sampled before by the same MPI with as many ranks: other shapes were not.
TEST_P(CallReports, PredictWhatReplacingWouldGainWhereItWasSampled) {
  std::vector<std::string> sampling;
  for (const std::string& word :
       sample_command({"--db", path("a.db"), "--parts", "collectives", "--budget", "4s",
                       "--max-size", "16K", "--mpi", GetParam()})) {
    sampling.push_back(word);
  }
  const Result sampled = run(job_command(sampling, 2, false), {.environment = environment({})});
  ASSERT_TRUE(std::filesystem::exists(path("a.db"))) << sampled.err;
  const Result result = job(
      {compile("mpicc", "reported.c"), "late"}, 2,
      {{"NMADTUNE_DB", path("a.db")}, {"NMADTUNE_MPI", "never"}, {"NMADTUNE_MPI_REPORT", "json"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json::Value report = report_in(result);
  EXPECT_EQ(*report.find("no_predictions"), json::Value());
  EXPECT_GT(of(row(report, "allreduce", 2), "library_ns"), 0);  // 16 KiB
  EXPECT_EQ(row(report, "bcast", 2).find("library_ns"), nullptr) << "40000 bytes";
  EXPECT_GT(of(row(report, "gather", 2), "library_ns"), 0);  // 300 bytes
  EXPECT_EQ(row(report, "gatherv", 2).find("library_ns"), nullptr);
}

TEST_P(CallReports, CountAPersistentCollectiveWhenItIsMade) {
  const Result result = reported(compile("mpicc", "large_counts.c"), "json", 3);
  if (result.out == "no large counts\n") GTEST_SKIP() << GetParam() << " is older than MPI 4";
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json::Value made = row(report_in(result), "bcast", 3, false);
  EXPECT_EQ(of(made, "calls"), 2);
  EXPECT_EQ(*made.find("persistent"), json::Value(true));
  EXPECT_EQ(of(row(report_in(result), "bcast", 3), "calls"), 2);
}

// The program reduces once between two groups, which have no shape.
TEST_P(CallReports, CountACallBetweenGroupsOnce) {
  const Result result = reported(compile("mpicc", "interposed.c"), "json", 3);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  const json::Value between = row(report_in(result), "allreduce", std::nullopt);
  EXPECT_EQ(of(between, "calls"), 1);
  EXPECT_EQ(*between.find("waiting_share"), json::Value());
}

INSTANTIATE_TEST_SUITE_P(Mpis, CallReports, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
