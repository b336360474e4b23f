// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/cluster.h"

namespace nmt::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class PairClasses : public ::testing::Test {
 protected:
  // A pair whose transfers take `factor` times as long as usual.
  void pair(double factor, const std::string& rail = "tcp:e0") {
    RailPlan plan{.rail = rail, .path = Id::random(), .regime = "hot", .placement = "remote"};
    PlanCurve curve{.benchmark = "transfer", .method = "copy", .variant = ""};
    curve.duration = Curve({{1, 10e3 * factor}, {1 << 20, 1e6 * factor}});
    curve.low = curve.high = curve.duration;
    curve.spread = 0.02;
    plan.curves = {curve};
    names_[plan.path] = {.node = "a",
                         .rail = rail,
                         .peer = "b" + std::to_string(plans_.size()),
                         .peer_rail = rail,
                         .platform = platform_,
                         .peer_platform = platform_};
    plans_.push_back(plan);
  }
  std::vector<std::vector<std::size_t>> classes() const {
    std::vector<std::vector<std::size_t>> members;
    for (const PairClass& each : pair_classes(plans_, names_)) members.push_back(each.members);
    return members;
  }

  Id platform_ = Id::random();
  std::vector<RailPlan> plans_;
  std::map<Id, PathName> names_;
};

TEST_F(PairClasses, OfOneAreAllThatDifferByLessThanTheirNoise) {
  for (const double factor : {1.0, 1.01, 0.98, 1.02}) pair(factor);
  EXPECT_THAT(classes(), ElementsAre(UnorderedElementsAre(0, 1, 2, 3)));
}

TEST_F(PairClasses, OfTheirOwnIsAPairThatIsSlower) {
  for (const double factor : {1.0, 1.01, 1.3, 0.99}) pair(factor);
  EXPECT_THAT(classes(), ElementsAre(UnorderedElementsAre(0, 1, 3), ElementsAre(2)));
}

TEST_F(PairClasses, OfTwoHalvesAreTwo) {
  for (const double factor : {1.0, 1.5, 1.0, 1.5}) pair(factor);
  EXPECT_THAT(classes(), ElementsAre(UnorderedElementsAre(0, 2), UnorderedElementsAre(1, 3)));
}

TEST_F(PairClasses, NeverMixRails) {
  pair(1, "tcp:e0");
  pair(1, "tcp:e1");
  EXPECT_THAT(classes(), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST_F(PairClasses, NeverMixPlatforms) {
  pair(1);
  pair(1);
  names_[plans_[1].path].peer_platform = Id::random();
  EXPECT_THAT(classes(), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST_F(PairClasses, StandForEachOtherByTheMiddleOne) {
  for (const double factor : {0.96, 1.0, 1.04}) pair(factor);
  ASSERT_EQ(classes().size(), 1u);
  EXPECT_EQ(classes().front().front(), 1u);
}

}  // namespace
}  // namespace nmt::cluster
