// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/links.h"

#include <gtest/gtest.h>

namespace nmt::tools {
namespace {

// Six links of one rail that differ by some percent.
std::vector<Link> usual() {
  std::vector<Link> links;
  for (int i = 0; i < 6; ++i) {
    links.push_back({.near = "a",
                     .far = "b" + std::to_string(i),
                     .rail = "tcp:e0",
                     .latency_ns = 10e3 * (1 + 0.02 * i),
                     .bandwidth_bytes_per_ns = 1.2 * (1 - 0.01 * i)});
  }
  return links;
}

std::vector<std::string> outliers(std::vector<Link> links) {
  mark_outliers(&links);
  std::vector<std::string> names;
  for (const Link& link : links) {
    if (link.outlier) names.push_back(link.far);
  }
  return names;
}

TEST(Links, ThatDifferLittleAreNoOutliers) { EXPECT_TRUE(outliers(usual()).empty()); }

TEST(Links, OfHalfTheBandwidthAreNamed) {
  std::vector<Link> links = usual();
  links[3].bandwidth_bytes_per_ns /= 2;
  EXPECT_EQ(outliers(links), std::vector<std::string>{"b3"});
}

TEST(Links, OfTwiceTheLatencyAreNamed) {
  std::vector<Link> links = usual();
  links[5].latency_ns *= 2;
  EXPECT_EQ(outliers(links), std::vector<std::string>{"b5"});
}

TEST(Links, ThatAreFasterAreNotNamed) {
  std::vector<Link> links = usual();
  links[0].bandwidth_bytes_per_ns *= 3;
  EXPECT_TRUE(outliers(links).empty());
}

TEST(Links, OfAnotherRailSayNothing) {
  std::vector<Link> links = usual();
  links[4].rail = "tcp:e1";
  links[4].latency_ns *= 10;
  EXPECT_TRUE(outliers(links).empty());
}

TEST(Links, SurviveTheWayThroughJson) {
  const json::Value document = to_json(usual());
  const std::vector<Link> read = links_from(json::Reader(document, "links"));
  ASSERT_EQ(read.size(), 6u);
  EXPECT_EQ(read[2].far, "b2");
  EXPECT_DOUBLE_EQ(read[2].bandwidth_bytes_per_ns, usual()[2].bandwidth_bytes_per_ns);
}

}  // namespace
}  // namespace nmt::tools
