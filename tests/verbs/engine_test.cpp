// SPDX-License-Identifier: BSD-3-Clause
//
// The engine over two rails of verbs, and over one and a rail of tcp, of which one ends in the
// midst of the traffic. NMT_VERBS_RAILS are the two; NMT_BREAKERS, how the second one ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/engine/real_couple.h"
#include "tests/engine/traffic.h"
#include "tests/verbs/breakers.h"

namespace nmt::engine {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kRails = {NMT_VERBS_RAILS};

class VerbsUnderTheEngine : public testing::TestWithParam<std::string> {};

TEST_P(VerbsUnderTheEngine, BringEveryMessage) {
  for (const std::vector<std::string>& rails :
       {std::vector{kRails[0]}, kRails, {kRails[0], "tcp:lo"}}) {
    RealCouple couple(rails, GetParam());
    ASSERT_EQ(couple.missing, "");
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.messages = 200}), "");
    EXPECT_TRUE(couple.reports.empty());
  }
}

TEST_P(VerbsUnderTheEngine, LoseNothingWhereOneEnds) {
  for (const verbs::Breaker& breaker : verbs::kBreakers) {
    for (const std::string& first : {kRails[0], std::string("tcp:lo")}) {
      RealCouple couple({first, kRails[1]}, GetParam());
      ASSERT_EQ(couple.missing, "");
      bool broken = false;
      const auto at = [&](double share) {
        if (share > 0.3 && !std::exchange(broken, true)) breaker.end();
      };
      EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.messages = 200}, at), "");
      EXPECT_EQ(couple.reports.size(), 2u);
      for (const std::string& report : couple.reports) {
        EXPECT_THAT(report, HasSubstr(kRails[1])) << breaker.name;
      }
      couple.a.reset();
      couple.b.reset();
      breaker.mend();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, VerbsUnderTheEngine, testing::Values("iso", "adaptive"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::engine
