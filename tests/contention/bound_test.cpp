// SPDX-License-Identifier: BSD-3-Clause
#include "contention/bound.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace nmt::contention {
namespace {

TEST(Bound, IsThePapersAtFortyRanks) {
  const Curve message = straight_line(50e3, 8.502);
  EXPECT_NEAR(lower_bound_ns(message, 40, 1, 1048576), 0.349635e9, 0.5e3);
}

TEST(Bound, FollowsTheMeasuredCurveAndNotALineThroughIt) {
  const Curve message({{0, 100}, {1000, 200}, {2000, 5000}});
  EXPECT_DOUBLE_EQ(lower_bound_ns(message, 5, 1, 500), 4 * 150);
  EXPECT_DOUBLE_EQ(lower_bound_ns(message, 5, 1, 2000), 4 * 5000);
}

TEST(Bound, CountsTheMessagesThatShareANic) {
  EXPECT_EQ(messages_through_nic(40, 1), 39);
  EXPECT_EQ(messages_through_nic(16, 4), 4 * 12);
}

TEST(Bound, RefusesRanksThatNoNetworkIsBetween) {
  for (const auto& [ranks, ranks_per_node] :
       {std::pair<int, int>{1, 1}, {0, 1}, {-3, 1}, {4, 4}, {4, 8}, {4, 0}}) {
    try {
      messages_through_nic(ranks, ranks_per_node);
      ADD_FAILURE() << ranks << " ranks, " << ranks_per_node << " per node";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kUsage) << error.what();
    }
  }
}

TEST(UnequalSizes, ThatAreEqualHaveTheBoundOfEqualOnes) {
  const Curve message = straight_line(50e3, 8.502);
  const ExchangeSizes sizes(6, std::vector<std::uint64_t>(6, 4096));
  const UnequalExchange exchange = unequal_exchange(message, sizes, 1024);
  EXPECT_EQ(exchange.startups, 5);
  EXPECT_EQ(exchange.startups_large, 5);
  EXPECT_NEAR(exchange.lower_bound_ns, lower_bound_ns(message, 6, 1, 4096), 1e-3);
}

TEST(UnequalSizes, FollowClaimThreeOverBothEnds) {
  // Rank 0 sends most messages, rank 2 receives most bytes.
  const ExchangeSizes sizes = {{9, 1, 2, 0}, {0, 9, 400, 0}, {0, 0, 9, 0}, {10, 0, 30, 0}};
  const UnequalExchange exchange = unequal_exchange(straight_line(1000, 2), sizes, 30);
  EXPECT_EQ(exchange.startups, 3);        // rank 2 receives from 0, 1 and 3
  EXPECT_EQ(exchange.startups_large, 2);  // of them
  EXPECT_NEAR(exchange.transfer_ns, 2 * (2 + 400 + 30), 1e-6);
  EXPECT_NEAR(exchange.lower_bound_ns, 3 * 1000 + 864, 1e-6);
}

TEST(UnequalSizes, MustBeASquareOfTwoRanksAtLeast) {
  const Curve message = straight_line(1, 1);
  EXPECT_THROW(unequal_exchange(message, {{1}}, 0), Error);
  EXPECT_THROW(unequal_exchange(message, {{0, 1}, {1}}, 0), Error);
}

TEST(TwoStates, MixToThePapersGap) {
  EXPECT_NEAR(two_state_gap(8.502e-9, 8.498189e-8, 0.5), 4.6742e-8, 0.5e-12);
  EXPECT_THROW(two_state_gap(1, 2, 1.5), Error);
}

TEST(TwoStates, AreReadOffASaturationProbe) {
  constexpr std::uint64_t kBytes = 32 << 20;
  const std::vector<ConnectionProbe> probes = {{1, kBytes, 8.0 * kBytes, 8.0 * kBytes},
                                               {20, kBytes, 20.0 * kBytes, 50.0 * kBytes},
                                               {60, kBytes, 26.0 * kBytes, 80.0 * kBytes}};
  const TwoStates states = two_states(probes, 0);
  EXPECT_DOUBLE_EQ(states.free_gap_ns, 8);
  EXPECT_DOUBLE_EQ(states.contended_gap_ns, 80);
  EXPECT_DOUBLE_EQ(states.rho, 0.25);
  EXPECT_DOUBLE_EQ(two_state_gap(states.free_gap_ns, states.contended_gap_ns, states.rho), 26);
  EXPECT_THROW(two_states({probes.data(), 1}, 0), Error);
}

TEST(TwoStates, ConnectionsThatShareANicAreNoContention) {
  constexpr std::uint64_t kBytes = 1 << 20;
  // 25 over 10 nodes: three on the NIC of the slowest, two and a half in the mean.
  const std::vector<ConnectionProbe> probes = {{1, kBytes, 8.0 * kBytes, 8.0 * kBytes, 10},
                                               {25, kBytes, 25.0 * kBytes, 36.0 * kBytes, 10}};
  const TwoStates states = two_states(probes, 0);
  EXPECT_DOUBLE_EQ(states.contended_gap_ns, 12);
  EXPECT_DOUBLE_EQ(two_state_gap(states.free_gap_ns, states.contended_gap_ns, states.rho), 10);
}

// As on a fast network, where the start-up is most of what a connection takes.
TEST(TwoStates, DoNotCountTheStartUp) {
  constexpr double kStartUpNs = 5e5, kFreeNs = 0.1, kContendedNs = 0.6;
  std::vector<ConnectionProbe> probes;
  for (const std::uint64_t size_bytes : {128u << 10, 256u << 10}) {
    const double bytes = static_cast<double>(size_bytes);
    const double free_ns = kStartUpNs + kFreeNs * bytes;
    probes.push_back({1, size_bytes, free_ns, free_ns});
    probes.push_back({8, size_bytes, kStartUpNs + 0.2 * bytes, kStartUpNs + kContendedNs * bytes});
  }
  const TwoStates two_sizes = two_states(probes, 0);
  EXPECT_NEAR(two_sizes.free_gap_ns, kFreeNs, 1e-9);
  EXPECT_NEAR(two_sizes.contended_gap_ns, kContendedNs, 1e-9);
  EXPECT_NEAR(two_sizes.rho, 0.2, 1e-9);
  const TwoStates one_size = two_states({probes.data(), 2}, kStartUpNs);
  EXPECT_NEAR(one_size.free_gap_ns, kFreeNs, 1e-9);
  EXPECT_NEAR(one_size.contended_gap_ns, kContendedNs, 1e-9);
}

TEST(TwoStates, OfNoiseAreThoseOfTheLargestSize) {
  const std::vector<ConnectionProbe> probes = {
      {1, 1000, 3000, 3000}, {1, 2000, 2500, 2500}, {8, 1000, 9000, 9000}, {8, 2000, 12500, 20500}};
  EXPECT_DOUBLE_EQ(two_states(probes, 500).free_gap_ns, 1);
  EXPECT_DOUBLE_EQ(two_states(probes, 500).contended_gap_ns, 11.5);
}

TEST(TwoStates, RefuseImpossibleTimes) {
  const std::vector<ConnectionProbe> early = {{1, 10, 5, 5}, {2, 10, 5, 4}};
  const std::vector<ConnectionProbe> empty = {{1, 10, 5, 5}, {2, 0, 5, 5}};
  EXPECT_THROW(two_states(early, 0), Error);
  EXPECT_THROW(two_states(empty, 0), Error);
}

TEST(StraightLine, RefusesWhatIsNoStartUpOrGap) {
  EXPECT_THROW(straight_line(-1, 1), Error);
  EXPECT_THROW(straight_line(1, -1), Error);
}

}  // namespace
}  // namespace nmt::contention
