// SPDX-License-Identifier: BSD-3-Clause
//
// What the report holds of clusters that are too large for a page.
#include "tools/report/cluster_data.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nmt::tools {
namespace {

// Pairs over one rail; the latency of each is the usual one times its ratio.
struct Pairs {
  Plan plan;
  std::map<Id, PathName> names;

  void add(const std::string& near, const std::string& far, double ratio) {
    const Id path = Id::random();
    names[path] = {.node = near, .rail = "tcp:e0", .peer = far, .peer_rail = "tcp:e0"};
    RailPlan rail{.rail = "tcp:e0", .path = path, .regime = "hot"};
    rail.curves.push_back({.benchmark = std::string(benchmark::kTransfer),
                           .method = "copy",
                           .duration = Curve({{1, 1000 * ratio}, {65536, 50000}})});
    plan.rails.push_back(rail);
  }
  json::Value data() const { return cluster_json({&plan}, names, {}); }
};

TEST(ClusterData, OfFewPairsHoldsEachWithItsCurve) {
  Pairs pairs;
  for (int i = 0; i < 10; ++i) pairs.add("a", "b" + std::to_string(i), 1 + i);
  const json::Value data = pairs.data();
  const json::Reader reader(data, "data");
  EXPECT_EQ(reader["pairs"].items().size(), 10u);
  EXPECT_EQ(reader["left_out"].number(), 0);
  EXPECT_EQ(reader["curves_left_out"].number(), 0);
  for (const json::Reader& pair : reader["pairs"].items()) {
    EXPECT_EQ(pair["curve"].items().size(), 2u);
  }
  const json::Reader band = reader["usual"][0]["band"];
  EXPECT_EQ(band[0][2].number(), 5500);  // median of 1000 to 10000
  EXPECT_EQ(band[1][1].number(), 50000);
}

TEST(ClusterData, OfManyPairsLeavesOutThoseThatDifferLeastAndCountsThem) {
  Pairs pairs;
  constexpr std::size_t kMore = 7;
  for (std::size_t i = 0; i < kPairsMax + kMore - 2; ++i) {
    pairs.add("n" + std::to_string(i % 1000), "m" + std::to_string(i), 1);
  }
  pairs.add("slow", "x", 3);
  pairs.add("fast", "y", 0.5);
  const json::Value data = pairs.data();
  const json::Reader reader(data, "data");
  const std::vector<json::Reader> shown = reader["pairs"].items();
  EXPECT_EQ(shown.size(), kPairsMax);
  EXPECT_EQ(reader["left_out"].number(), kMore);
  EXPECT_EQ(reader["curves_left_out"].number(), kPairsMax - kCurvesMax);
  EXPECT_EQ(shown[0]["near"].text(), "slow");
  EXPECT_EQ(shown[1]["near"].text(), "fast");
  const auto curves = std::ranges::count_if(
      shown, [](const json::Reader& pair) { return !pair["curve"].is_null(); });
  EXPECT_EQ(static_cast<std::size_t>(curves), kCurvesMax);
  EXPECT_FALSE(shown[1]["curve"].is_null());
}

}  // namespace
}  // namespace nmt::tools
