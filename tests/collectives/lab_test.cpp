// SPDX-License-Identifier: BSD-3-Clause
//
// Our collectives against an MPI's own, between the hosts of a lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/lab/lab.h"
#include "tests/tools/process.h"

namespace nmt::testing {
namespace {

class Collectives : public ::testing::TestWithParam<std::string> {};

TEST_P(Collectives, AgreeWithTheLibrarysOwnBetweenHosts) {
  if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const std::map<std::string, std::string> programs = {{"openmpi", NMT_AGAINST_OPENMPI},
                                                       {"mpich", NMT_AGAINST_MPICH}};
  const std::string program = programs.at(GetParam());
  if (program.empty()) GTEST_SKIP() << GetParam() << " is missing";
  const Lab lab(Cluster{.rate = "1000mbit", .hosts = 3});
  for (const std::string way : {"attach", "messages"}) {
    const Result result =
        run(lab.job(GetParam(), {"--per-host", "2", "-n", "5"}, {program, "--hosts", way}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr(" 0 failures"));
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, Collectives, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
