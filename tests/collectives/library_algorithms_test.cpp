// SPDX-License-Identifier: BSD-3-Clause
//
// Rules that choose an algorithm of the MPI's own, in programs with libnmadtune-mpi.so in front of
// their MPI. Open MPI before 4.1.8 and 5.0.6 lets them be set only where the job was started with
// coll_tuned_use_dynamic_rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/collective_sample.h"
#include "profiledb/profiledb.h"
#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

SegmentRule rule_for(const std::string& operation, const std::string& algorithm, int ranks) {
  return {.operation = operation,
          .nodes = 1,
          .ranks_per_node = ranks,
          .from_bytes = operation == "barrier" ? 0u : 1u,
          .to_bytes = std::nullopt,
          .segment_bytes = 0,
          .algorithm = "library:" + algorithm};
}

class LibraryAlgorithms : public InFrontOfMpi {
 protected:
  bool is_openmpi() const { return GetParam() == "openmpi"; }

  std::string barrier_of_mpich() const {
    return mpi_name().find(" 4.0.") != std::string::npos ? "dissemination" : "k_dissemination";
  }

  Environment where_they_can_be_set(Environment more) const {
    if (is_openmpi()) more["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1";
    return more;
  }

  // Without a parameter of the job.
  bool can_always_be_set() const {
    int major = 0, minor = 0, patch = 0;
    if (!is_openmpi()) return true;
    std::sscanf(mpi_name().c_str(), "Open MPI v%d.%d.%d", &major, &minor, &patch);
    return std::tuple(major, minor, patch) >= std::tuple(5, 0, 6) ||
           (major == 4 && std::tuple(minor, patch) >= std::tuple(1, 8));
  }

  std::string variable() const {
    return is_openmpi() ? "coll_tuned_bcast_algorithm" : "MPIR_CVAR_BCAST_INTRA_ALGORITHM";
  }
  // Of a Bcast: its name and its number in both of Open MPI and MPICH.
  std::string one() const { return is_openmpi() ? "basic_linear" : "binomial"; }

  std::vector<std::string> calls() const {
    return {compile("mpicc", "library_calls.c", "", "library_calls"), variable()};
  }
  std::string profile_of_one(int ranks = 3) const {
    return write_profile({rule_for("bcast", one(), ranks)});
  }

  // With a library above ours that prints the variable.
  Result spied_on(Environment more) const {
    const std::string spy =
        compile("mpicc", "library_spy.c", "-shared -fPIC -ldl", "library_spy.so");
    std::string program = "LD_PRELOAD=" + spy + ":$LD_PRELOAD exec";
    for (const std::string& word : calls()) program += " " + word;
    more.insert({{"NMADTUNE_DB", profile_of_one()},
                 {"NMADTUNE_MPI_REPORT", "1"},
                 {"NMT_SPY_VARIABLE", variable()}});
    return job({"sh", "-c", program}, 3, where_they_can_be_set(more));
  }
};

TEST_P(LibraryAlgorithms, GiveTheSameResults) {
  // 4.1 does not let the algorithm of an Allgatherv be set.
  const std::map<std::string, std::string> of_openmpi = {
      {"bcast", "binomial"},
      {"reduce", "binomial"},
      {"allgather", "ring"},
      {"alltoall", "pairwise"},
      {"barrier", "recursive_doubling"},
      {"gather", "binomial"},
      {"scatter", "binomial"},
      {"reduce_scatter", "ring"},
      {"reduce_scatter_block", "recursive_doubling"}};
  const std::map<std::string, std::string> of_mpich = {{"bcast", "binomial"},
                                                       {"allgather", "ring"},
                                                       {"allgatherv", "ring"},
                                                       {"alltoall", "pairwise"},
                                                       {"barrier", barrier_of_mpich()},
                                                       {"gather", "binomial"},
                                                       {"scatter", "binomial"},
                                                       {"reduce_scatter", "pairwise"},
                                                       {"reduce_scatter_block", "pairwise"}};
  const auto& chosen = is_openmpi() ? of_openmpi : of_mpich;
  std::vector<SegmentRule> rules;
  for (const int ranks : {2, 3}) {  // two of them make communicators that come and go
    for (const auto& [operation, algorithm] : chosen) {
      rules.push_back(rule_for(operation, algorithm, ranks));
    }
  }
  std::vector<std::string> program = {compile("mpicc", "interposed.c")};
  if (is_openmpi()) program.push_back("in-place");  // MPICH 4.0.2's own Reduce crashes so
  const Result own = job(program, 3, {}, false);
  const Result result = job(
      program, 3,
      where_they_can_be_set({{"NMADTUNE_DB", write_profile(rules)}, {"NMADTUNE_MPI_REPORT", "1"}}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, own.out);
  for (const auto& [operation, algorithm] : chosen) {
    EXPECT_THAT(result.err,
                ContainsRegex("nmadtune: " + operation + ": [1-9][0-9]* of .*\n" +
                              "nmadtune:   [1-9][0-9]* of these by library:" + algorithm + "\n"));
  }
}

TEST_P(LibraryAlgorithms, AreSetWhereTheMpiReadsThemAndSetBackAfterwards) {
  const Result result = spied_on({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("good\nvariable afterwards: 0\n"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: "));
  EXPECT_THAT(result.err, HasSubstr("of these by library:" + one() + "\n"));
  if (is_openmpi()) {
    EXPECT_EQ(count(result.err, "spy: duplicated while it is 1\n"), 1) << result.err;
    EXPECT_GE(count(result.err, "spy: bcast of 3 ranks while it is 0, elsewhere\n"), 3)
        << result.err;
  } else {
    EXPECT_EQ(count(result.err, "spy: duplicated"), 0) << result.err;
    EXPECT_EQ(count(result.err, "spy: bcast of 3 ranks while it is 1, there\n"), 3) << result.err;
  }
}

// By a linear algorithm, the root sends to each rank itself; by any tree over four ranks, not to
// the last one.
TEST_P(LibraryAlgorithms, SendTheirOwnMessages) {
  if (!is_openmpi()) GTEST_SKIP() << "MPICH counts no messages";
  const Environment counted = where_they_can_be_set({{"OMPI_MCA_pml_monitoring_enable", "1"}});
  for (const std::string algorithm : {"basic_linear", "pipeline"}) {
    Environment more = counted;
    more["NMADTUNE_DB"] = write_profile({rule_for("bcast", algorithm, 4)});
    const Result result = job(calls(), 4, more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    if (result.out.find("messages to") == std::string::npos) {
      GTEST_SKIP() << "this Open MPI counts no messages";
    }
    EXPECT_THAT(result.out, HasSubstr(algorithm == "pipeline" ? "messages to the last rank: 0\n"
                                                              : "messages to the last rank: 1\n"));
  }
}

TEST_P(LibraryAlgorithms, AreLeftToTheMpiWhereTheirCommunicatorCannotBeMade) {
  if (!is_openmpi()) GTEST_SKIP() << "MPICH needs no communicator for them";
  const Result result = spied_on({{"NMT_SPY_FAILS", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("good\n"));
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of "));
  EXPECT_EQ(count(result.err, "spy: duplicated"), 1) << "not asked again: " << result.err;
}

TEST_P(LibraryAlgorithms, AreLeftToTheMpiUnderThreadsAndWhereItHasNone) {
  std::vector<std::string> threaded = calls();
  threaded.push_back("threads");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {threaded, one()}, {calls(), "of_another_version"}};
  for (const auto& [program, algorithm] : cases) {
    const std::string profile = write_profile({rule_for("bcast", algorithm, 3)});
    const Result result =
        job(program, 3,
            where_they_can_be_set({{"NMADTUNE_DB", profile}, {"NMADTUNE_MPI_REPORT", "1"}}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("good\nvariable afterwards: 0\n"));
    EXPECT_EQ(count(result.err,
                    "that cannot be set in this job (rules: 1, the first: bcast by "
                    "library:" +
                        algorithm + ")"),
              1)
        << result.err;
    EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of "));
  }
}

TEST_P(LibraryAlgorithms, AreLeftToTheMpiWhereMpiTIsSwitchedOff) {
  const Result result = spied_on({{"NMT_SPY_NO_TOOLS", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("good\nvariable afterwards: 0\n"));
  EXPECT_EQ(count(result.err, "that cannot be set in this job"), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of "));
}

TEST_P(LibraryAlgorithms, NeedNoParameterOfTheJobInNewerVersions) {
  const Result result =
      job(calls(), 3, {{"NMADTUNE_DB", profile_of_one()}, {"NMADTUNE_MPI_REPORT", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("good\nvariable afterwards: 0\n"));
  if (!can_always_be_set()) {
    EXPECT_THAT(result.err, HasSubstr("that cannot be set in this job"));
    EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of "));
    GTEST_SKIP() << mpi_name() << " reads coll_tuned_use_dynamic_rules at its start only";
  }
  EXPECT_THAT(result.err, HasSubstr("of these by library:" + one() + "\n"));
}

TEST_P(LibraryAlgorithms, ThatTheUserHasSetAreNotTouched) {
  const std::string name =
      is_openmpi() ? "OMPI_MCA_coll_tuned_bcast_algorithm" : "MPIR_CVAR_BCAST_INTRA_ALGORITHM";
  const Result result =
      job(calls(), 3,
          where_they_can_be_set({{"NMADTUNE_DB", profile_of_one()},
                                 {name, is_openmpi() ? "6" : "scatter_ring_allgather"}}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("variable afterwards: 0\n")));
  EXPECT_THAT(result.err, HasSubstr("that cannot be set in this job"));
}

TEST_P(LibraryAlgorithms, AreNamedInTheLogOfDecisions) {
  const Result result = job(
      calls(), 3,
      where_they_can_be_set({{"NMADTUNE_DB", profile_of_one()}, {"NMADTUNE_LOG", "decisions"}}));
  EXPECT_THAT(result.err, HasSubstr("nmadtune:   bcast from 1 B: library:" + one() + ", whole\n"));
}

TEST_P(LibraryAlgorithms, AreSampledAsFarAsTheyCanBeSet) {
  for (const bool can : {true, false}) {
    if (!can && can_always_be_set()) continue;
    const Environment more = can ? where_they_can_be_set({}) : Environment{};
    const std::string file = path(can ? "can.db" : "cannot.db");
    const Result result =
        job(sample_command({"--db", file, "--parts", "collectives", "--shapes", "own", "--budget",
                            can ? "30s" : "3s", "--max-size", "1K"}),
            2, more, false);
    EXPECT_THAT(result.exit_code, AnyOf(0, 4)) << result.err;  // 4: on a machine that is not quiet
    std::set<std::string> operations;
    const profiledb::ProfileDb profile(file, {});
    for (const Platform& platform : profile.platforms()) {
      for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
        for (const Sample& sample : set.samples) {
          if (library_name_of(sample.condition.algorithm).empty()) continue;
          operations.insert(sample.condition.operation);
          EXPECT_FALSE(sample.repetitions.empty());
          EXPECT_EQ(sample.condition.leaders, 1);
        }
      }
    }
    EXPECT_EQ(operations.count("alltoallv"), 0u);
    EXPECT_NE(operations.empty(), can) << result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, LibraryAlgorithms, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
