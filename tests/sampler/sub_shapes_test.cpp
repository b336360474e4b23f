// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/sub_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace nmt::sampler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Ranks are numbered along the nodes.
JobShape job_of(const std::vector<int>& ranks_per_node) {
  JobShape job;
  int next = 0;
  for (const int ranks : ranks_per_node) {
    std::vector<int>& node = job.nodes.emplace_back();
    for (int i = 0; i < ranks; ++i) node.push_back(next++);
  }
  return job;
}

TEST(SubShapes, AreAllAndHalfAndTwoAndOneNodeWithAllAndHalfAndOneRank) {
  EXPECT_THAT(shapes_from("all", job_of({4, 4, 4, 4, 4, 4, 4, 4})),
              ElementsAre(SubShape{8, 4}, SubShape{8, 2}, SubShape{8, 1}, SubShape{4, 4},
                          SubShape{4, 2}, SubShape{4, 1}, SubShape{2, 4}, SubShape{2, 2},
                          SubShape{2, 1}, SubShape{1, 4}, SubShape{1, 2}));
  EXPECT_EQ(shapes_from("", job_of({2, 2})), shapes_from("all", job_of({2, 2})));
  EXPECT_THAT(shapes_from("", job_of({1})),
              ElementsAre(SubShape{1, 1}));  // refused by the campaign
}

// Else the model of one node, which needs three shapes, could predict no other.
TEST(SubShapes, OfOneNodeAreThreeFromSixRanksOn) {
  EXPECT_THAT(shapes_from("all", job_of({8, 8})),
              ElementsAre(SubShape{2, 8}, SubShape{2, 4}, SubShape{2, 1}, SubShape{1, 8},
                          SubShape{1, 4}, SubShape{1, 2}));
  EXPECT_THAT(shapes_from("all", job_of({32})),
              ElementsAre(SubShape{1, 32}, SubShape{1, 16}, SubShape{1, 8}));
  EXPECT_THAT(shapes_from("all", job_of({6})),
              ElementsAre(SubShape{1, 6}, SubShape{1, 3}, SubShape{1, 2}));
  EXPECT_THAT(shapes_from("all", job_of({2})), ElementsAre(SubShape{1, 2}));
  EXPECT_EQ(shapes_from("all", job_of({4, 4, 4, 4})).size(), 8u);  // 15 minutes
  for (int ranks = 6; ranks <= 64; ++ranks) {
    EXPECT_EQ(shapes_from("all", job_of({ranks})).size(), 3u) << ranks;
  }
}

TEST(SubShapes, OfNodesWithUnequalRanksHaveAsManyAsTheEmptiest) {
  EXPECT_THAT(shapes_from("own", job_of({4, 2, 3})), ElementsAre(SubShape{3, 2}));
  EXPECT_THAT(ranks_of({3, 2}, job_of({4, 2, 3})), ElementsAre(0, 1, 4, 5, 6, 7));
}

TEST(SubShapes, ThatAreNamedAreTakenOnceEach) {
  EXPECT_THAT(shapes_from("2x2,1x2,2x2", job_of({2, 2})),
              ElementsAre(SubShape{2, 2}, SubShape{1, 2}));
}

TEST(SubShapes, ThatCannotBeAreRefusedWithTheReason) {
  const auto reason = [](const std::string& text) -> std::string {
    try {
      shapes_from(text, job_of({2, 2}));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kUsage);
      return error.what();
    }
    return "";
  };
  for (const std::string text :
       {"most", "2", "x2", "2x", "0x2", "-1x2", "2x2x2", "2x99999999999999999999", "2x2,own"}) {
    EXPECT_THAT(reason(text), HasSubstr("is no shape")) << text;
  }
  EXPECT_THAT(reason("3x1"), HasSubstr("whose largest shape is 2x2"));
  EXPECT_THAT(reason("2x3"), HasSubstr("whose largest shape is 2x2"));
  EXPECT_THAT(reason("1x1"), HasSubstr("one rank"));
}

TEST(SubShapes, FarthestFromWhatIsKnownComeFirst) {
  const std::vector<SubShape> shapes = {{8, 4}, {4, 4}, {2, 4}, {8, 1}, {2, 1}};
  EXPECT_THAT(
      least_known_first(shapes, {}),
      ElementsAre(SubShape{8, 4}, SubShape{2, 1}, SubShape{2, 4}, SubShape{8, 1}, SubShape{4, 4}));
  EXPECT_EQ(least_known_first(shapes, {{8, 4}}).front(), (SubShape{2, 1}));
  EXPECT_EQ(least_known_first(shapes, {{8, 4}}).back(), (SubShape{8, 4}));
  EXPECT_TRUE(least_known_first({}, {{8, 4}}).empty());
}

TEST(SubShapes, StayInRankZeroAndInAscendingOrder) {
  JobShape job;
  job.nodes = {{0, 3, 6}, {1, 4, 7}, {2, 5, 8}};  // by turns
  EXPECT_THAT(ranks_of({2, 2}, job), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(ranks_of({1, 3}, job), ElementsAre(0, 3, 6));
}

}  // namespace
}  // namespace nmt::sampler
