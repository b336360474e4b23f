// SPDX-License-Identifier: BSD-3-Clause
//
// Our collectives against an MPI's own, between the hosts of a lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/program.h"
#include "tests/lab/lab.h"
#include "tests/tools/process.h"

namespace nmt::testing {
namespace {

class Collectives : public ::testing::TestWithParam<std::string> {
 protected:
  using OfMpis = std::map<std::string, std::string>;

  void SetUp() override {
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    if (faults_.at(GetParam()).empty()) GTEST_SKIP() << GetParam() << " is missing";
  }

  // On two hosts of two ranks.
  Result fault(const Lab& lab, const std::string& copies, std::vector<std::string> how) const {
    how.insert(how.begin(),
               {"env", "LD_PRELOAD=" + libraries_.at(GetParam()), "NMADTUNE_MPI=always",
                "NMADTUNE_MPI_REPORT=1", "NMADTUNE_MPI_COPIES=" + copies, faults_.at(GetParam())});
    return run(lab.job(GetParam(), {"--per-host", "2", "-n", "4"}, how));
  }

  // Some ranks give another count.
  Result counts(const Lab& lab, const std::string& copies, std::vector<std::string> how) const {
    how.insert(how.begin(), "counts");
    return fault(lab, copies, std::move(how));
  }

  const OfMpis against_ = {{"openmpi", NMT_AGAINST_OPENMPI}, {"mpich", NMT_AGAINST_MPICH}};
  const OfMpis faults_ = {{"openmpi", NMT_FAULTS_OPENMPI}, {"mpich", NMT_FAULTS_MPICH}};
  const OfMpis libraries_ = {{"openmpi", NMT_INTERPOSED_OPENMPI}, {"mpich", NMT_INTERPOSED_MPICH}};
};

TEST_P(Collectives, AgreeWithTheLibrarysOwnBetweenHosts) {
  const Lab lab(Cluster{.rate = "1000mbit", .hosts = 3});
  for (const std::string way : {"attach", "messages"}) {
    // Five ranks that poll, by turns: minutes where others want the cores too.
    const Result result = Process(lab.job(GetParam(), {"--per-host", "2", "-n", "5"},
                                          {against_.at(GetParam()), "--hosts", way}))
                              .wait(140);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr(" 0 failures"));
  }
}

TEST_P(Collectives, AgreeWithTheLibrarysOwnBetweenEightHosts) {
  const Lab lab(Cluster{.rate = "1000mbit", .hosts = 8});
  const Result result = Process(lab.job(GetParam(), {"--per-host", "3,2,2,2,2,2,2,2", "-n", "17"},
                                        {against_.at(GetParam()), "--hosts", "messages"}))
                            .wait(560);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr(" 0 failures"));
}

// Counts are whole numbers of segments, and not.
TEST_P(Collectives, OfABcastAHostThatExpectsMoreGetsWhatThereIsOrEndsTheJobAsInItsMpi) {
  const Lab lab(Cluster{.rate = "1000mbit", .hosts = 2});
  for (const std::string copies : {"", "messages"}) {
    for (const std::string who : {"last", "half"}) {
      for (const std::string count : {"2000", "524288"}) {
        const Result result = counts(lab, copies, {"bcast", count, "1048576", who});
        if (GetParam() == "mpich") {
          EXPECT_TRUE(result.exit_code != 0 || loses_exit_codes(GetParam())) << who;
          EXPECT_THAT(result.err, ::testing::HasSubstr("sends less than this rank expects"));
          continue;
        }
        EXPECT_EQ(result.out, "good\n") << result.err;
        EXPECT_THAT(result.err, ::testing::HasSubstr("bcast: 1 of 1 calls replaced"));
      }
    }
  }
}

TEST_P(Collectives, OtherCountsOfAHostEndTheJob) {
  const Lab lab(Cluster{.rate = "1000mbit", .hosts = 2});
  const auto expect_end = [&](const std::string& operation, const std::string& other,
                              const std::string& reason) {
    Result result;
    // MPICH's launcher now and then ends with what the ranks said last unread.
    for (int attempts = 0; attempts < 5 && result.err.empty(); ++attempts) {
      result = counts(lab, "", {operation, "1048576", other, "half"});
      EXPECT_TRUE(result.exit_code != 0 || loses_exit_codes(GetParam()))
          << operation << " of " << other;
    }
    EXPECT_THAT(result.err, ::testing::HasSubstr(reason)) << operation << " of " << other;
  };
  const std::string ours = "ranks of one collective passed different counts";
  expect_end("bcast", "524288", ours);
  expect_end("bcast", "2000", "runcate");  // by the MPI: less than a segment
  for (const std::string operation :
       {"reduce", "allreduce", "allgather", "alltoall", "alltoallv"}) {
    for (const std::string other : {"524288", "2000000"}) expect_end(operation, other, ours);
  }
}

// The other ranks are in the middle of it, or wait for that rank.
TEST_P(Collectives, ARankThatIsLateToAnAlltoallOrKilledWithinItIsWaitedForOrEndsTheJob) {
  const Lab lab(Cluster{.rate = "1000mbit", .hosts = 2});
  for (const std::string operation : {"alltoall", "alltoallv"}) {
    const Result late = fault(lab, "", {"late", "2", operation});
    // MPICH's launcher now and then fails after the ranks have ended.
    EXPECT_TRUE(late.exit_code == 0 || GetParam() == "mpich") << operation << ": " << late.err;
    EXPECT_EQ(late.out, "good\n") << operation;
    const Result killed = fault(lab, "", {"killed", "3", operation});
    EXPECT_TRUE(killed.exit_code != 0 || loses_exit_codes(GetParam())) << operation;
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, Collectives, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
