// SPDX-License-Identifier: BSD-3-Clause
//
// The engine over two rails of verbs, and over one and a rail of tcp, of which one ends in the
// midst of the traffic. NMT_VERBS_RAILS are the two; NMT_BREAKERS, how the second one ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/engine.h"
#include "tests/drivers/pair.h"
#include "tests/engine/traffic.h"
#include "tests/verbs/breakers.h"

namespace nmt::engine {
namespace {

using testing::HasSubstr;

// Two engines of this process, over rails that lead from it to itself.
struct Couple {
  std::string missing;
  std::vector<std::string> reports;
  std::unique_ptr<Engine> a, b;

  Couple(const std::vector<std::string>& rails, const std::string& strategy) {
    const EngineOptions options{.strategy = strategy,
                                .report = [this](const std::string& t) { reports.push_back(t); }};
    a = std::make_unique<Engine>(options);
    b = std::make_unique<Engine>(options);
    std::vector<LinkDescription> sides[2];
    for (const std::string& rail : rails) {
      Pair pair = open_pair(rail);
      missing = pair.under_test.missing;
      if (!pair.near) return;
      sides[0].push_back({std::move(pair.near), rail, pair.methods()});
      sides[1].push_back({std::move(pair.far), rail, pair.methods()});
    }
    a->add_gate("b", std::move(sides[0]));
    b->add_gate("a", std::move(sides[1]));
  }
};

const std::vector<std::string> kRails = {NMT_VERBS_RAILS};

class VerbsUnderTheEngine : public testing::TestWithParam<std::string> {};

TEST_P(VerbsUnderTheEngine, BringEveryMessage) {
  for (const std::vector<std::string>& rails :
       {std::vector{kRails[0]}, kRails, {kRails[0], "tcp:lo"}}) {
    Couple couple(rails, GetParam());
    ASSERT_EQ(couple.missing, "");
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.messages = 200}), "");
    EXPECT_TRUE(couple.reports.empty());
  }
}

TEST_P(VerbsUnderTheEngine, LoseNothingWhereOneEnds) {
  for (const Breaker& breaker : kBreakers) {
    for (const std::string& first : {kRails[0], std::string("tcp:lo")}) {
      Couple couple({first, kRails[1]}, GetParam());
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
