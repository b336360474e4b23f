// SPDX-License-Identifier: BSD-3-Clause
//
// What goes wrong around collectives that stand in for the MPI's: processes that die, kernels that
// forbid, memory that is full, programs that do what others do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWarning = "ranks of one node use messages instead of shared memory";

class CollectivesInTrouble : public InFrontOfMpi {
 protected:
  std::string program() const {
    return GetParam() == "openmpi" ? NMT_FAULTS_OPENMPI : NMT_FAULTS_MPICH;
  }

  // Acts wherever it can. The MPIs' own copies within a node stay out of what is forbidden.
  std::unique_ptr<Process> start(std::vector<std::string> how, int ranks, Environment more) const {
    how.insert(how.begin(), program());
    more.emplace("NMADTUNE_MPI", "always");
    more["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none";
    // With TCP among them, MPICH (4.0) may hang in MPI_Finalize.
    more["UCX_TLS"] = "posix,sysv,self";
    return std::make_unique<Process>(job_command(how, ranks),
                                     Setting{.environment = environment(std::move(more))});
  }
  Result fault(std::vector<std::string> how, int ranks, const Environment& more = {}) const {
    return start(std::move(how), ranks, more)->wait();
  }

  // The last of three ranks gives another count.
  Result counts(const std::string& copies, const std::string& operation, const std::string& count,
                const std::string& other) const {
    return fault({"counts", operation, count, other, "last"}, 3,
                 {{"NMADTUNE_MPI_COPIES", copies}, {"NMADTUNE_MPI_REPORT", "1"}});
  }
};

// In a process and a mount namespace of its own, of which everything can be seen: how it ends, how
// many names are left in /dev/shm, and whether any rank still runs after two seconds.
TEST_P(CollectivesInTrouble, ARankThatIsKilledEndsTheJobAsItWouldWithoutUsAndNothingIsLeft) {
  const std::string look = R"(mount -t tmpfs none /dev/shm || exit 99
"$@" >/dev/null 2>&1
code=$?
for i in 1 2 3 4 5 6 7 8 9 10; do
  ranks=$(readlink /proc/[0-9]*/exe | grep -c faults)
  [ "$ranks" = 0 ] && break
  sleep 0.2
done
echo "exit $code, $(ls -A /dev/shm | wc -l) names, $ranks ranks")";
  const auto end = [&](const std::string& who, const std::string& operation, bool in_front) {
    std::vector<std::string> command = {"unshare", "--mount", "--pid", "--fork", "--mount-proc",
                                        "sh",      "-c",      look,    "sh"};
    for (const std::string& word :
         job_command({program(), "killed", who, operation}, 3, in_front)) {
      command.push_back(word);
    }
    return run(command, {.environment = environment({{"NMADTUNE_MPI", "always"}})});
  };
  // MPICH's launcher ends by one of several signals, with and without us.
  const std::string expected =
      GetParam() == "openmpi" ? "exit 137, 0 names, 0 ranks\n" : ", 0 names, 0 ranks\n";
  const Result without = end("2", "all", false);
  if (without.exit_code != 0) GTEST_SKIP() << "no namespaces: " << without.err;
  ASSERT_THAT(without.out, EndsWith(expected));
  for (const std::string operation : {"all", "alltoall", "alltoallv"}) {
    for (const std::string who : {"0", "2"}) {
      const Result ours = end(who, operation, true);
      EXPECT_THAT(ours.out, EndsWith(expected)) << operation << ", rank " << who;
      if (loses_exit_codes(GetParam())) continue;
      EXPECT_THAT(ours.out, Not(HasSubstr("exit 0,"))) << operation << ", rank " << who;
    }
  }
}

TEST_P(CollectivesInTrouble, APairThatMayNotReadEachOtherGetsTheSame) {
  const Result result = fault({"pair"}, 3);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  EXPECT_THAT(result.err, Not(HasSubstr(kWarning)));
}

TEST_P(CollectivesInTrouble, RanksThatMayNoLongerBeReadGoOn) {
  for (const std::string what : {"user", "process"}) {
    for (const std::string who : {"all", "last"}) {
      const Result result = fault({"unreadable", what, who}, 3);
      if (result.out.starts_with("no other user")) GTEST_SKIP() << "this user cannot be another";
      EXPECT_EQ(result.exit_code, 0) << what << " " << who << ": " << result.err;
      EXPECT_EQ(result.out, "good\n") << what << " " << who;
      EXPECT_THAT(result.err, Not(HasSubstr(kWarning)));
    }
  }
}

TEST_P(CollectivesInTrouble, RefusedSharedMemoryMeansMessagesAndOneWarning) {
  for (const std::string how : {"no-memory", "small-files"}) {
    const Result result = fault({how}, 3);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
    EXPECT_EQ(count(result.err, kWarning), 1) << how << ": " << result.err;
  }
}

TEST_P(CollectivesInTrouble, ARankWithoutDescriptorsMeansMessagesAndOneWarning) {
  if (GetParam() == "mpich") GTEST_SKIP() << "MPICH's UCX opens some at any time";
  const Result result = fault({"no-descriptors"}, 3);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  EXPECT_EQ(count(result.err, kWarning), 1) << result.err;
}

TEST_P(CollectivesInTrouble, ARankWithoutMemoryForAnObjectEndsTheJobWithTheReason) {
  int ended = 0;
  for (const int nth : {1, 2, 3, 5, 8, 13, 21}) {
    const Result result = job({"env", "LD_PRELOAD=" + library_ + " " NMT_FAILING_NEW, program(),
                               "no-new", std::to_string(nth)},
                              3, {{"NMADTUNE_MPI", "always"}}, false);
    EXPECT_THAT(result.err, Not(HasSubstr("terminate called"))) << nth;
    if (result.out == "good\n" && result.exit_code == 0) continue;
    EXPECT_TRUE(failed(result)) << nth;
    EXPECT_THAT(result.err, HasSubstr("nmadtune: out of memory in a collective")) << nth;
    ++ended;
  }
  EXPECT_GT(ended, 0);
}

TEST_P(CollectivesInTrouble, ABufferOfOneRankInTheMemoryOfADeviceIsLeftToTheMpiByAll) {
  for (const std::string runtime : {"cuda", "hip", "ze"}) {
    const Result result =
        job({"env", "LD_PRELOAD=" + library_ + " " NMT_FAKE_DEVICES, program(), "device"}, 3,
            {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_REPORT", "1"}, {"FAKE_DEVICES", runtime}},
            false);
    EXPECT_EQ(result.out, "good\n") << result.err;
    for (const std::string calls :
         {"bcast: 1 of 3", "reduce: 1 of 2", "allreduce: 1 of 2", "allgather: 1 of 3",
          "alltoall: 1 of 2", "alltoallv: 0 of 2"}) {  // the next one is left without a look
      EXPECT_THAT(result.err, HasSubstr("nmadtune: " + calls + " calls replaced")) << runtime;
    }
  }
}

// The MPI's own algorithms get packed copies as well.
TEST_P(CollectivesInTrouble, SoIsOneThatAnAlgorithmOfTheMpiIsChosenFor) {
  std::vector<SegmentRule> rules;
  for (const auto& [operation, algorithm] :
       {std::pair<std::string, std::string>{"bcast", "binomial"},
        {"reduce", "binomial"},
        {"allreduce", "recursive_doubling"},
        {"allgather", "ring"},
        {"alltoall", "pairwise"}}) {
    rules.push_back({.operation = operation,
                     .nodes = 1,
                     .ranks_per_node = 3,
                     .from_bytes = 1,
                     .to_bytes = std::nullopt,
                     .segment_bytes = 0,
                     .algorithm = "library:" + algorithm});
  }
  const Result result =
      job({"env", "LD_PRELOAD=" + library_ + " " NMT_FAKE_DEVICES, program(), "device"}, 3,
          {{"NMADTUNE_DB", write_profile(rules)},
           {"NMADTUNE_MPI_REPORT", "1"},
           {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
           {"FAKE_DEVICES", "cuda"}},
          false);
  EXPECT_EQ(result.out, "good\n") << result.err;
  for (const std::string calls : {"bcast: 1 of 3", "reduce: 1 of 2", "allreduce: 1 of 2",
                                  "allgather: 1 of 3", "alltoall: 1 of 2"}) {
    EXPECT_THAT(result.err, HasSubstr("nmadtune: " + calls + " calls replaced"));
  }
}

// Later than anybody waits for a socket. The jobs run side by side: all they do is wait.
TEST_P(CollectivesInTrouble, ARankThatComesLateCostsNobodyTheSharedMemory) {
  std::vector<std::unique_ptr<Process>> started;
  for (const std::string operation : {"allreduce", "alltoall", "alltoallv"}) {
    started.push_back(start({"late", "11", operation}, 3, {{"NMADTUNE_MPI_COPIES", "shared"}}));
  }
  for (const std::unique_ptr<Process>& each : started) {
    const Result result = each->wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
    EXPECT_THAT(result.err, Not(HasSubstr(kWarning)));
  }
}

TEST_P(CollectivesInTrouble, AVariableThatReachesSomeRanksOnlyCountsForAll) {
  const Result result = fault({"copies"}, 3);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
}

TEST_P(CollectivesInTrouble, RanksOfASmallCommunicatorDoNotBurnTheCoresOfACrowdedJob) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores > 8) GTEST_SKIP() << "more ranks than " << cores << " cores are many";
  for (const std::string copies : {"", "messages"}) {
    const Result result = fault({"crowd"}, 2 * cores + 2, {{"NMADTUNE_MPI_COPIES", copies}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
  }
}

TEST_P(CollectivesInTrouble, ThreadsOnCommunicatorsOfTheirOwnDoNotDisturbEachOther) {
  const Result result = fault({"threads"}, 2);
  if (result.out == "no threads\n") GTEST_SKIP() << GetParam() << " does without threads here";
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
}

TEST_P(CollectivesInTrouble, CommunicatorsFreedRightAfterUseLeaveNothing) {
  for (const std::string copies : {"", "shared"}) {
    const Result result = fault({"freed"}, 3, {{"NMADTUNE_MPI_COPIES", copies}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
  }
}

TEST_P(CollectivesInTrouble, WhatACommunicatorNeededServesTheNextOneOfTheSameRanks) {
  for (const std::string copies : {"", "shared"}) {
    const Result result = fault({"kept"}, 4, {{"NMADTUNE_MPI_COPIES", copies}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "good\n");
  }
}

TEST_P(CollectivesInTrouble, ManyCommunicatorsAtATimeAreThoseThatTheProgramMakes) {
  const Result result = fault({"many"}, 2);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "good\n");
  EXPECT_THAT(result.err, Not(HasSubstr(kWarning)));
}

// Whole segments, more and fewer of them, and parts of one; between hosts in lab_test.cpp.
TEST_P(CollectivesInTrouble, OfABcastARankThatExpectsLessEndsTheJob) {
  for (const std::string copies : {"", "shared"}) {
    const Result result = counts(copies, "bcast", "1048576", "524288");
    EXPECT_TRUE(failed(result)) << copies;
    EXPECT_THAT(result.err, HasSubstr("a Bcast sends more than this rank expects"));
  }
  EXPECT_TRUE(failed(counts("messages", "bcast", "1048576", "524288")));
}

TEST_P(CollectivesInTrouble, OfABcastARankThatExpectsMoreGetsWhatThereIsOrEndsTheJobAsInItsMpi) {
  for (const std::string copies : {"", "shared", "messages"}) {
    for (const std::string count : {"2000", "524288"}) {
      const Result result = counts(copies, "bcast", count, "1048576");
      if (GetParam() == "mpich") {
        EXPECT_TRUE(failed(result)) << copies;
        EXPECT_THAT(result.err, HasSubstr("a Bcast sends less than this rank expects"));
        continue;
      }
      EXPECT_EQ(result.out, "good\n") << result.err;
      EXPECT_THAT(result.err, HasSubstr("bcast: 1 of 1 calls replaced"));
    }
  }
}

TEST_P(CollectivesInTrouble, OfAShortBcastOtherCountsAreAsOfALongOne) {
  const SegmentRule rule = {.operation = "bcast",
                            .nodes = 1,
                            .ranks_per_node = 3,
                            .to_bytes = std::nullopt,
                            .algorithm = "inline"};
  const Environment by_rule = {{"NMADTUNE_MPI", ""}, {"NMADTUNE_DB", write_profile({rule})}};
  const Result less = fault({"counts", "bcast", "200", "100", "last"}, 3, by_rule);
  EXPECT_TRUE(failed(less));
  EXPECT_THAT(less.err, HasSubstr("a Bcast sends more than this rank expects"));
  const Result more = fault({"counts", "bcast", "100", "200", "last"}, 3, by_rule);
  if (GetParam() == "mpich") {
    EXPECT_THAT(more.err, HasSubstr("a Bcast sends less than this rank expects"));
  } else {
    EXPECT_EQ(more.out, "good\n") << more.err;
  }
}

// Each operation with each way to copy, by turns with less and with more.
TEST_P(CollectivesInTrouble, OtherCountsOfWhatAllGiveToEndTheJob) {
  const std::string less = "524288", more = "2000000";
  bool with_less = true;
  for (const std::string operation :
       {"reduce", "allreduce", "allgather", "alltoall", "alltoallv", "give", "gather", "scatter",
        "reduce_scatter_block", "allgatherv"}) {
    for (const std::string copies : {"", "shared", "messages"}) {
      const std::string& other = with_less ? less : more;
      with_less = !with_less;
      const Result result = counts(copies, operation, "1048576", other);
      EXPECT_TRUE(failed(result)) << operation << " of " << other << " " << copies;
      if (copies == "messages") continue;  // the MPI itself finds it
      EXPECT_THAT(result.err, HasSubstr("ranks of one collective passed different counts"));
    }
  }
}

// The leader finds it, when it combines what its ranks have handed over.
TEST_P(CollectivesInTrouble, OtherCountsOfAShortMessageEndTheJob) {
  for (const auto& [operation, algorithm] :
       {std::pair{"reduce", "inline"}, std::pair{"allreduce", "recursive_doubling"}}) {
    const SegmentRule rule = {.operation = operation,
                              .nodes = 1,
                              .ranks_per_node = 3,
                              .to_bytes = std::nullopt,
                              .algorithm = algorithm};
    const Result result = fault({"counts", operation, "100", "200", "last"}, 3,
                                {{"NMADTUNE_MPI", ""}, {"NMADTUNE_DB", write_profile({rule})}});
    EXPECT_TRUE(failed(result)) << operation;
    EXPECT_THAT(result.err, HasSubstr("ranks of one collective passed different counts"));
  }
}

TEST_P(CollectivesInTrouble, ADamagedProfileMeansTheMpisOwnAndOneWarning) {
  const Result result = fault({"nothing"}, 2,
                              {{"NMADTUNE_MPI", ""},
                               {"NMADTUNE_MPI_REPORT", "1"},
                               {"NMADTUNE_DB", write("broken.nmt", "what is no profile")}});
  EXPECT_EQ(result.out, "good\n");
  EXPECT_THAT(result.err, HasSubstr("nmadtune: bcast: 0 of 6 calls replaced"));
  EXPECT_EQ(count(result.err, "the MPI's own collectives are used"), 1) << result.err;
}

TEST_P(CollectivesInTrouble, AProfileOfAnotherPlatformMeansTheMpisOwnAndOneWarning) {
  const SegmentRule rule = {.operation = "bcast",
                            .nodes = 1,
                            .ranks_per_node = 2,
                            .to_bytes = std::nullopt,
                            .segment_bytes = 65536,
                            .algorithm = "chain"};
  const auto run_by = [&](const Fields& differs) {
    return fault({"nothing"}, 2,
                 {{"NMADTUNE_MPI", ""},
                  {"NMADTUNE_MPI_REPORT", "1"},
                  {"NMADTUNE_DB", write_profile({rule}, differs)}});
  };
  const Result own = run_by({}), foreign = run_by({{"cores", "100000"}});
  EXPECT_THAT(own.err, HasSubstr("nmadtune: bcast: 6 of 6 calls replaced"));
  EXPECT_EQ(own.out, "good\n");
  EXPECT_THAT(foreign.err, HasSubstr("nmadtune: bcast: 0 of 6 calls replaced"));
  EXPECT_EQ(foreign.out, "good\n");
  EXPECT_EQ(count(foreign.err, "the MPI's own collectives are used"), 1) << foreign.err;
}

INSTANTIATE_TEST_SUITE_P(Mpis, CollectivesInTrouble, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
