// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nmt::cluster {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A cluster whose durations differ by 2 %, with what is slow in it.
class Cluster {
 public:
  explicit Cluster(int nodes, std::uint64_t seed = 1) : nodes_(nodes), random_(seed) {}

  static std::string host(int node) { return "node" + std::to_string(100 + node); }

  void slow_node(int node, double ratio, const std::string& rail = "") {
    nodes_slow_[{host(node), rail}] = ratio;
  }
  void slow_link(int a, int b, double ratio) { links_slow_[{host(a), host(b)}] = ratio; }

  void measure(int a, int b, const std::string& rail = "tcp:e0") {
    for (const std::uint64_t size_bytes : {1, 65536}) {
      double log = std::log(1e4) + noise_(random_);
      for (const int node : {a, b}) {
        for (const std::string& of : {std::string(), rail}) {
          const auto found = nodes_slow_.find({host(node), of});
          if (found != nodes_slow_.end()) log += std::log(found->second);
        }
      }
      const auto found = links_slow_.find({host(a), host(b)});
      if (found != links_slow_.end()) log += std::log(found->second);
      times_.push_back({.near = host(a),
                        .far = host(b),
                        .rail = rail,
                        .size_bytes = size_bytes,
                        .launch = "",
                        .duration_ns = std::exp(log)});
    }
  }
  // Each node with `partners` others.
  void measure_some(int partners, const std::string& rail = "tcp:e0") {
    for (int step = 1; step <= partners / 2; ++step) {
      for (int node = 0; node < nodes_; ++node) {
        measure(std::min(node, (node + step) % nodes_), std::max(node, (node + step) % nodes_),
                rail);
      }
    }
  }
  // As a campaign does that has time left: what is to be measured next, `times` times.
  void measure_next(int times) {
    for (const NextPair& next : find_outliers(times_).next) {
      for (int i = 0; i < times; ++i) {
        measure(std::stoi(next.near.substr(4)) - 100, std::stoi(next.far.substr(4)) - 100,
                next.rail);
      }
    }
  }

  OutlierFindings find() const { return find_outliers(times_); }

 private:
  int nodes_;
  std::map<std::pair<std::string, std::string>, double> nodes_slow_, links_slow_;
  std::normal_distribution<double> noise_{0, 0.02};
  std::mt19937_64 random_;
  std::vector<PairTime> times_;
};

TEST(Outliers, OfEqualNodesAreNone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Cluster cluster(32, seed);
    cluster.measure_some(6);
    cluster.measure_next(3);
    EXPECT_THAT(cluster.find().outliers, IsEmpty()) << seed;
  }
}

TEST(Outliers, NameANodeWhoseEveryPairIsSlow) {
  Cluster cluster(32);
  cluster.slow_node(7, 1.1);
  cluster.measure_some(6);
  const OutlierFindings findings = cluster.find();
  ASSERT_THAT(findings.outliers, SizeIs(2));  // both figures
  for (const Outlier& each : findings.outliers) {
    EXPECT_EQ(each.culprit, Culprit::kNode);
    EXPECT_EQ(each.node, Cluster::host(7));
    EXPECT_NEAR(each.ratio, 1.1, 0.03);
    EXPECT_LT(each.chance, 0.002);
  }
}

TEST(Outliers, SuspectALinkThatWasSlowOnceAndNameItWhenItStays) {
  Cluster cluster(32);
  cluster.slow_link(3, 4, 1.2);
  cluster.measure_some(6);
  const OutlierFindings once = cluster.find();
  EXPECT_THAT(once.outliers, IsEmpty());
  ASSERT_FALSE(once.next.empty());
  EXPECT_EQ(once.next.front().near, Cluster::host(3));
  EXPECT_EQ(once.next.front().far, Cluster::host(4));
  cluster.measure_next(3);
  const OutlierFindings findings = cluster.find();
  ASSERT_THAT(findings.outliers, SizeIs(2));
  EXPECT_EQ(findings.outliers.front().culprit, Culprit::kLink);
  EXPECT_EQ(findings.outliers.front().node, Cluster::host(3));
  EXPECT_EQ(findings.outliers.front().peer, Cluster::host(4));
}

TEST(Outliers, OfASlowNodeAndASlowLinkAreNotMistakenForOneAnother) {
  Cluster cluster(32);
  cluster.slow_node(7, 1.1);
  cluster.slow_link(20, 21, 1.2);
  cluster.measure_some(6);
  cluster.measure_next(3);
  const OutlierFindings findings = cluster.find();
  ASSERT_THAT(findings.outliers, SizeIs(4));
  EXPECT_EQ(findings.outliers[0].node, Cluster::host(7));
  EXPECT_EQ(findings.outliers[1].node, Cluster::host(7));
  EXPECT_EQ(findings.outliers[2].culprit, Culprit::kLink);
  EXPECT_EQ(findings.outliers[3].culprit, Culprit::kLink);
}

TEST(Outliers, TellASlowRailFromASlowNode) {
  Cluster cluster(32);
  cluster.slow_node(5, 1.2, "tcp:e1");
  cluster.slow_node(9, 1.2);
  cluster.measure_some(6, "tcp:e0");
  cluster.measure_some(6, "tcp:e1");
  for (const Outlier& each : cluster.find().outliers) {
    if (each.node == Cluster::host(5)) {
      EXPECT_EQ(each.culprit, Culprit::kRail);
      EXPECT_EQ(each.rail, "tcp:e1");
    } else {
      EXPECT_EQ(each.culprit, Culprit::kNode);
      EXPECT_EQ(each.node, Cluster::host(9));
      EXPECT_EQ(each.rail, "");
    }
  }
  EXPECT_THAT(cluster.find().outliers, SizeIs(4));
}

TEST(Outliers, OfFewPairsAreSuspectedAndTheOtherPairsOfTheNodeAreAskedFor) {
  Cluster cluster(10);
  cluster.slow_node(4, 1.25);
  cluster.measure_some(4);
  const OutlierFindings few = cluster.find();
  EXPECT_THAT(few.outliers, IsEmpty());
  EXPECT_FALSE(few.next.empty());
  cluster.measure_next(1);
  const OutlierFindings findings = cluster.find();
  ASSERT_FALSE(findings.outliers.empty());
  EXPECT_EQ(findings.outliers.front().node, Cluster::host(4));
}

TEST(Outliers, AreNotFasterNodes) {
  Cluster cluster(32);
  cluster.slow_node(7, 0.7);
  cluster.measure_some(6);
  EXPECT_THAT(cluster.find().outliers, IsEmpty());
}

TEST(Outliers, IgnoreDurationsThatAreNone) {
  std::vector<PairTime> times(
      9, {.near = "a", .far = "b", .rail = "r", .size_bytes = 1, .launch = ""});
  times[3].duration_ns = std::nan("");
  EXPECT_THAT(find_outliers(times).outliers, IsEmpty());
  EXPECT_THAT(find_outliers({}).outliers, IsEmpty());
}

TEST(Outliers, DoNotFollowFromATimeAtWhichAllWereSlow) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<PairTime> times;
  for (int round = 0; round < 4; ++round) {  // the last round took twice as long
    for (int pair = 0; pair < 8; ++pair) {
      times.push_back({.near = Cluster::host(pair),
                       .far = Cluster::host(8 + (pair + round) % 8),
                       .rail = "tcp:e0",
                       .size_bytes = 1,
                       .launch = std::to_string(round),
                       .duration_ns = 1e4 * (round == 3 ? 2 : 1) * std::exp(noise(random))});
    }
  }
  const OutlierFindings findings = find_outliers(times);
  EXPECT_THAT(findings.outliers, IsEmpty());
  EXPECT_THAT(findings.next, IsEmpty());
}

// Some pairs had time for a larger message, or none for a large one, and one node was too slow for
// any: they are compared by what most nodes have.
TEST(Outliers, AreFoundBySizesThatMostNodesHave) {
  std::vector<PairTime> times;
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      const auto add = [&](std::uint64_t size_bytes, double duration_ns) {
        times.push_back({.near = Cluster::host(a),
                         .far = Cluster::host(b),
                         .rail = "r",
                         .size_bytes = size_bytes,
                         .launch = "1",
                         .duration_ns = duration_ns * (1 + 1e-4 * (a + b))});
      };
      if (a != 3 || b != 4) add(1, 10);
      add(4, 11);
      if ((a + b) % 4 != 0 && b != 11) add(65536, a == 2 || b == 2 ? 1300 : 1000);
      if (a < 6 && b < 6) add(1 << 20, a == 0 ? 16000 : 15000);
    }
  }
  const OutlierFindings findings = find_outliers(times);
  ASSERT_THAT(findings.outliers, SizeIs(1));
  EXPECT_EQ(findings.outliers.front().node, Cluster::host(2));
  EXPECT_EQ(findings.outliers.front().figure, Figure::kBandwidth);
}

TEST(Outliers, OfTooFewPairsCannotSay) {
  std::vector<PairTime> times;
  for (const auto& [near, far] : {std::pair{"a", "b"}, {"a", "c"}, {"a", "d"}, {"b", "c"}}) {
    times.push_back(
        {.near = near, .far = far, .rail = "r", .size_bytes = 1, .launch = "1", .duration_ns = 1});
  }
  EXPECT_FALSE(find_outliers(times).can_say);
  for (int a = 0; a < 16; ++a) {
    for (int b = a + 1; b < 16; ++b) {
      times.push_back({.near = std::to_string(a),
                       .far = std::to_string(b),
                       .rail = "r",
                       .size_bytes = 1,
                       .launch = "1",
                       .duration_ns = 1});
    }
  }
  EXPECT_TRUE(find_outliers(times).can_say);
}

// By the logarithm of many nodes; of few, as many as could name a slow one, or all there are.
TEST(Outliers, RoundsAreThoseThatCanNameASlowNode) {
  EXPECT_EQ(rounds_to_tell(1), 0u);
  EXPECT_EQ(rounds_to_tell(2), 1u);
  EXPECT_EQ(rounds_to_tell(5), 5u);
  EXPECT_EQ(rounds_to_tell(8), 7u);
  EXPECT_EQ(rounds_to_tell(10), 7u);
  EXPECT_EQ(rounds_to_tell(9), 9u);
  EXPECT_EQ(rounds_to_tell(16), 6u);
  EXPECT_EQ(rounds_to_tell(29), 6u);
  EXPECT_EQ(rounds_to_tell(33), 6u);
  EXPECT_EQ(rounds_to_tell(64), 6u);
  EXPECT_EQ(rounds_to_tell(1000), 10u);
  EXPECT_EQ(rounds_to_tell(100000), 17u);
}

}  // namespace
}  // namespace nmt::cluster
