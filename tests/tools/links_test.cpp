// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/links.h"

#include <gtest/gtest.h>

#include "sampler/job/pair_rounds.h"

namespace nmt::tools {
namespace {

// Six links of one rail that differ by some percent.
std::vector<Link> usual() {
  std::vector<Link> links;
  for (int i = 0; i < 6; ++i) {
    links.push_back({.near = "a",
                     .far = "b" + std::to_string(i),
                     .rail = "tcp:e0",
                     .durations_ns = {{1, 10e3 * (1 + 0.02 * i)}, {65536, 50e3 * (1 + 0.01 * i)}}});
  }
  return links;
}

TEST(Links, OfANodeThatIsOutOfLineAreMarked) {
  std::vector<Link> links = usual();
  cluster::OutlierFindings findings;
  findings.outliers = {
      {.culprit = cluster::Culprit::kNode, .node = "b2", .peer = "", .rail = ""},
      {.culprit = cluster::Culprit::kLink, .node = "a", .peer = "b4", .rail = "tcp:e0"},
      {.culprit = cluster::Culprit::kRail, .node = "b5", .peer = "", .rail = "tcp:e1"}};
  mark_outliers(findings, &links);
  std::vector<std::string> marked;
  for (const Link& link : links) {
    if (link.outlier) marked.push_back(link.far);
  }
  EXPECT_EQ(marked, (std::vector<std::string>{"b2", "b4"}));
}

TEST(Links, AreComparedByEachSizeThatTheyHave) {
  const std::vector<cluster::PairTime> times = pair_times(usual());
  ASSERT_EQ(times.size(), 12u);
  EXPECT_EQ(times[0].size_bytes, 1u);
  EXPECT_EQ(times[3].size_bytes, 65536u);
  EXPECT_DOUBLE_EQ(times[3].duration_ns, 50e3 * 1.01);
}

// Eight nodes and more: one that is slower is named by the rounds of a campaign.
TEST(Links, OfACampaignAreEnoughToNameASlowNode) {
  for (std::size_t nodes = 8; nodes <= 64; ++nodes) {
    std::vector<Link> links;
    const std::size_t rounds = cluster::rounds_to_tell(nodes);
    for (const sampler::Round& round : sampler::rounds_of_some_pairs(nodes, rounds)) {
      for (const sampler::NodePair& pair : round) {
        const bool slow = pair.near == nodes / 2 || pair.far == nodes / 2;
        links.push_back(
            {.near = std::to_string(pair.near),
             .far = std::to_string(pair.far),
             .rail = "tcp:e0",
             .durations_ns = {{1, 10e3},
                              {65536, (slow ? 62e3 : 50e3) + static_cast<double>(links.size())}}});
      }
    }
    const std::vector<cluster::Outlier> outliers =
        cluster::find_outliers(pair_times(links)).outliers;
    ASSERT_EQ(outliers.size(), 1u) << nodes;
    EXPECT_EQ(outliers.front().node, std::to_string(nodes / 2)) << nodes;
  }
}

TEST(Links, SurviveTheWayThroughJson) {
  const json::Value document = to_json(usual());
  const std::vector<Link> read = links_from(json::Reader(document, "links"));
  ASSERT_EQ(read.size(), 6u);
  EXPECT_EQ(read[2].far, "b2");
  EXPECT_EQ(read[2].durations_ns, usual()[2].durations_ns);
}

}  // namespace
}  // namespace nmt::tools
