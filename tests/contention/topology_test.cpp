// SPDX-License-Identifier: BSD-3-Clause
#include "contention/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contention/contention.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem_of(std::string_view text) {
  try {
    read_topology(text, "net.conf");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Four leaves of four nodes: n0 to n15.
Topology four_leaves() {
  return read_topology(
      "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Nodes=n[8-11]\n"
      "SwitchName=d Nodes=n[12-15]\nSwitchName=top Switches=a,b,c,d\n",
      "net.conf");
}

TEST(Hosts, AreExpandedAsSlurmWritesThem) {
  EXPECT_THAT(expand_hosts("login,node[08-10,3],x[1]y"),
              ElementsAre("login", "node08", "node09", "node10", "node3", "x1y"));
  for (const char* wrong :
       {"", "a[1-]", "a[2-1]", "a[x]", "a[1", "a]1[", "a[1]b[2]", "a[0-999999]"}) {
    EXPECT_THROW(expand_hosts(wrong), Error) << wrong;
  }
}

TEST(Topology, OfSlurmHasItsTree) {
  const Topology topology = read_topology(
      "# a comment\nSwitchName=leaf0 Nodes=n[0-1] LinkSpeed=900\nswitchname=leaf1 nodes=n2,n3\n"
      "SwitchName=top Switches=leaf[0-1] \\\n  LinkSpeed=1\n",
      "topology.conf");
  EXPECT_THAT(topology.nodes(), ElementsAre("n0", "n1", "n2", "n3"));
  ASSERT_EQ(topology.switches().size(), 3u);
  EXPECT_EQ(topology.switches()[1].parent, 2u);
  EXPECT_TRUE(topology.needs_uplink(topology.nodes()));  // LinkSpeed has no unit
}

TEST(Topology, OfInfiniBandHasTheSpeedOfItsCables) {
  const Topology topology = read_topology(
      "# Topology file: generated on Tue\nvendid=0x2c9\nswitchguid=0x1(1)\n"
      "Switch\t36 \"S-01\"\t\t# \"leaf\" enhanced port 0 lid 3 lmc 0\n"
      "[1]\t\"H-0a\"[1](a1) \t\t# \"node01 mlx5_0\" lid 5 4xHDR\n"
      "[2]\t\"H-0b\"[1](b1) \t\t# \"node02 mlx5_0\" lid 6 4xHDR\n"
      "[3]\t\"H-0c\"[1](c1) \t\t# \"node03 mlx5_0\" lid 7 4xHDR\n"
      "[35]\t\"S-02\"[1]\t\t# \"spine\" lid 2 4xHDR\n"
      "[36]\t\"S-02\"[2]\t\t# \"spine\" lid 2 4xEDR\n\n"
      "switchguid=0x2(2)\nSwitch\t36 \"S-02\"\t\t# \"spine\" enhanced port 0 lid 2 lmc 0\n"
      "[1]\t\"S-01\"[35]\t\t# \"leaf\" lid 3 4xHDR\n"
      "caguid=0xa\nCa\t1 \"H-0a\"\t\t# \"node01 mlx5_0\"\n"
      "[1](a1) \t\"S-01\"[1]\t\t# lid 5 lmc 0 \"leaf\" lid 3 4xHDR\n",
      "fabric");
  EXPECT_THAT(topology.nodes(), ElementsAre("node01", "node02", "node03"));
  ASSERT_EQ(topology.switches().size(), 1u);
  EXPECT_DOUBLE_EQ(topology.switches()[0].uplink, 1.5);
}

TEST(Topology, CountsWhatTheBusiestCutCarries) {
  const Topology topology = four_leaves().with_uplink(2);
  // One leaf alone: 3 messages leave each NIC. Two: 4 * 4 over two NICs' worth, but 7 over a NIC.
  EXPECT_DOUBLE_EQ(topology.transfers(std::span(topology.nodes()).first(4), 1), 3);
  EXPECT_DOUBLE_EQ(topology.transfers(std::span(topology.nodes()).first(8), 1), 8);
  EXPECT_DOUBLE_EQ(topology.transfers(topology.nodes(), 1), 4 * 12 / 2.0);
  EXPECT_DOUBLE_EQ(topology.transfers(topology.nodes(), 3), 9 * 4 * 12 / 2.0);
  // As fast as all that is below: NICs bound.
  EXPECT_DOUBLE_EQ(four_leaves().with_uplink(4).transfers(topology.nodes(), 1), 15);
  // One node of each leaf: each switch passes 3 messages at twice a NIC's speed.
  const std::vector<std::string> spread = {"n0", "n4", "n8", "n12"};
  EXPECT_DOUBLE_EQ(topology.transfers(spread, 1), 3);
}

// Leaves of four nodes, two below each of two middle switches.
TEST(Topology, CountsWhatSwitchesAboveTheLeavesCarry) {
  const auto transfers = [](double of_leaves, double of_middles) {
    const Topology topology(
        std::vector<Switch>{{.name = "a", .nodes = {"n0", "n1", "n2", "n3"}, .parent = 4u},
                            {.name = "b", .nodes = {"n4", "n5", "n6", "n7"}, .parent = 4u},
                            {.name = "c", .nodes = {"n8", "n9", "n10", "n11"}, .parent = 5u},
                            {.name = "d", .nodes = {"n12", "n13", "n14", "n15"}, .parent = 5u},
                            {.name = "x", .nodes = {}, .parent = {}, .uplink = of_middles},
                            {.name = "y", .nodes = {}, .parent = {}, .uplink = of_middles}});
    return topology.with_uplink(of_leaves).transfers(topology.nodes(), 1);
  };
  EXPECT_DOUBLE_EQ(transfers(4, 2), 8 * 8 / 2.0);
  EXPECT_DOUBLE_EQ(transfers(1, 2), 4 * 12 / 1.0);
  EXPECT_DOUBLE_EQ(transfers(4, 8), 15);           // NICs
  EXPECT_DOUBLE_EQ(transfers(3, 3), 8 * 8 / 3.0);  // as fast at all levels: the upper one bounds
}

TEST(Topology, BoundsUnequalSizesAsEqualOnes) {
  const Topology topology = four_leaves().with_uplink(2);
  const Curve message = straight_line(50e3, 8.502);
  const ExchangeSizes equal(16, std::vector<std::uint64_t>(16, 65536));
  EXPECT_NEAR(unequal_exchange(message, equal, 0, topology, topology.nodes()).lower_bound_ns,
              lower_bound_ns(message, 16, 1, 65536, topology, topology.nodes()), 1e-3);
  // Only one rank sends, to its own leaf: no uplink carries anything.
  ExchangeSizes local(16, std::vector<std::uint64_t>(16, 0));
  local[0][1] = 1 << 20;
  EXPECT_DOUBLE_EQ(unequal_exchange(message, local, 0, topology, topology.nodes()).lower_bound_ns,
                   unequal_exchange(message, local, 0).lower_bound_ns);
}

// Leaves "a" and "b" below "m", and leaf "c", above which the file names nothing.
TEST(Topology, FindsTheBusiestCutOfUnequalLoads) {
  const auto busiest = [](double uplink_of_m) {
    const Topology topology(
        std::vector<Switch>{{.name = "a", .nodes = {"n0", "n1"}, .parent = 2u, .uplink = 1},
                            {.name = "b", .nodes = {"n2", "n3"}, .parent = 2u, .uplink = 2},
                            {.name = "m", .nodes = {}, .parent = {}, .uplink = uplink_of_m},
                            {.name = "c", .nodes = {"n4"}, .parent = {}, .uplink = 0}});
    std::vector<std::vector<double>> load(5, std::vector<double>(5, 0));
    load[0][1] = 100;  // within a
    load[0][2] = 6;    // from a to b
    load[0][4] = 1;    // from a over m to c
    load[4][3] = 5;    // from c over m to b
    return topology.busiest_cut(topology.nodes(), load);
  };
  EXPECT_DOUBLE_EQ(busiest(0.5), 5 / 0.5);  // down from m
  EXPECT_DOUBLE_EQ(busiest(1), 6 + 1);      // up from a; b gets 6 + 5 over an uplink of 2
}

TEST(Topology, RefusesWhatIsNoTree) {
  EXPECT_THAT(problem_of("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1\n"),
              HasSubstr("node n1 is on switch a and on switch b"));
  EXPECT_THAT(problem_of("SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=n1\n"),
              HasSubstr("cycle"));
  EXPECT_THAT(problem_of("SwitchName=a Switches=gone\n"),
              HasSubstr("net.conf: line 1: switch gone is not in this file"));
  EXPECT_THAT(problem_of("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n"),
              HasSubstr("line 2: switch a is named twice"));
  EXPECT_THAT(problem_of("SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a"),
              HasSubstr("below b and below c"));
  EXPECT_THAT(problem_of("Nodes=n1\n"), HasSubstr("no SwitchName"));
  EXPECT_THAT(problem_of("BlockName=a Nodes=n1\n"), HasSubstr("'BlockName' is not known"));
  EXPECT_THAT(problem_of("SwitchName=a Nodes=n[1-\n"), HasSubstr("line 1: 'n[1-'"));
  EXPECT_THAT(problem_of("# nothing\n"), HasSubstr("no nodes"));
  EXPECT_THAT(problem_of("switchguid=0x1\nSwitch 36 \"S-1\"\n[1] \"H-1\"[1] # \"n1\" lid 1 fast\n"),
              HasSubstr("line 3: no cable"));
  const std::vector<std::string> strange = {"n0", "elsewhere"};
  EXPECT_THROW(four_leaves().transfers(strange, 1), Error);
  const std::vector<std::string> twice = {"n0", "n0"};
  EXPECT_THROW(four_leaves().transfers(twice, 1), Error);
  EXPECT_THROW(four_leaves().with_uplink(0), Error);
}

// Alltoalls on a network of which every exchange takes 1.2 times its bound, with some noise.
AlltoallTimes measured_on(const Topology& topology, const std::vector<int>& first_nodes) {
  AlltoallTimes measured{.message = straight_line(50e3, 8.502), .topology = four_leaves()};
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  for (std::uint32_t session = 0; session < first_nodes.size(); ++session) {
    const std::span<const std::string> hosts =
        std::span(topology.nodes()).subspan(static_cast<std::size_t>(first_nodes[session]));
    measured.hosts[session] = {hosts.begin(), hosts.end()};
    for (const std::int64_t ranks : {4, 8}) {
      for (std::uint64_t size_bytes = 1024; size_bytes <= 1 << 20; size_bytes *= 4) {
        const double bound_ns =
            lower_bound_ns(measured.message, ranks, 1, size_bytes, topology, hosts);
        for (int i = 0; i < 3; ++i) {
          measured.times.push_back(
              {ranks, size_bytes, session, 1.2 * bound_ns * std::exp(noise(random))});
        }
      }
    }
  }
  return measured;
}

TEST(Uplink, IsFoundFromJobsOnSeveralSwitchesAndPredictsMore) {
  const Topology truth = four_leaves().with_uplink(1);
  const SignatureFit fit = fit_signature(measured_on(truth, {0, 1, 2, 4, 8}), {});
  ASSERT_TRUE(fit.topology);
  EXPECT_TRUE(fit.uplink_fitted);
  EXPECT_NEAR(fit.topology->switches()[0].uplink, 1, 0.06);
  EXPECT_NEAR(fit.signature.gamma, 1.2, 0.04);
  const double truth_ns =
      1.2 * lower_bound_ns(fit.signature.bound, 16, 1, 1 << 20, truth, truth.nodes());
  const double error = std::abs(predict_alltoall(fit, 16, 1 << 20).predicted_ns / truth_ns - 1);
  EXPECT_LT(error, 0.05);
  // Without the topology, what more ranks do to an uplink is not seen.
  AlltoallTimes blind = measured_on(truth, {0, 1, 2, 4, 8});
  blind.topology.reset();
  const double blindly =
      predict_alltoall(fit_signature(blind, {}), 16, 1 << 20).predicted_ns / truth_ns;
  EXPECT_GT(std::abs(blindly - 1), error);
}

TEST(Uplink, IsUnknownWhereAllJobsWereBelowOneSwitch) {
  AlltoallTimes measured{.message = straight_line(50e3, 8.502), .topology = four_leaves()};
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  for (const std::int64_t ranks : {3, 4}) {
    for (std::uint64_t size_bytes = 1024; size_bytes <= 1 << 20; size_bytes *= 4) {
      const double bound_ns = lower_bound_ns(measured.message, ranks, 1, size_bytes);
      for (int i = 0; i < 3; ++i) {
        measured.times.push_back({ranks, size_bytes, 0, bound_ns * std::exp(noise(random))});
      }
    }
  }
  const SignatureFit fit = fit_signature(measured, {});
  EXPECT_FALSE(fit.uplink_fitted);
  EXPECT_THAT(fit.remarks, ::testing::Contains(HasSubstr("below one switch")));
  EXPECT_NE(predict_alltoall(fit, 4, 65536).verdict, Verdict::kRefused);
  const AlltoallPrediction beyond = predict_alltoall(fit, 8, 65536);
  EXPECT_EQ(beyond.verdict, Verdict::kRefused);
  EXPECT_THAT(beyond.reason, HasSubstr("--uplink"));
}

TEST(Uplink, IsNoLimitWhereNothingShowsOne) {
  const Topology truth = four_leaves().with_uplink(16);
  const SignatureFit fit = fit_signature(measured_on(truth, {0, 1, 2, 4, 8}), {});
  EXPECT_DOUBLE_EQ(fit.topology->switches()[0].uplink, 16);
  EXPECT_THAT(fit.remarks, ::testing::Contains(HasSubstr("no uplink of a switch limited")));
}

TEST(Uplink, PredictionsNeedAsManyNodesAsRanks) {
  const SignatureFit fit =
      fit_signature(measured_on(four_leaves().with_uplink(1), {0, 1, 2, 4, 8}), {});
  EXPECT_THROW(predict_alltoall(fit, 17, 65536), Error);
  const std::vector<std::string> spread = {"n0", "n4", "n8", "n12"};
  const std::vector<std::string> close = {"n0", "n1", "n2", "n3"};
  EXPECT_GE(predict_alltoall(fit, 4, 1 << 20, spread).predicted_ns,
            predict_alltoall(fit, 4, 1 << 20, close).predicted_ns);
}

}  // namespace
}  // namespace nmt::contention
