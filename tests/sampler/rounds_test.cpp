// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/pair_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace nmt::sampler {
namespace {

using Nodes = std::set<std::size_t>;

std::set<Nodes> pairs_in(const std::vector<Round>& rounds) {
  std::set<Nodes> pairs;
  for (const Round& round : rounds) {
    Nodes busy;
    for (const NodePair& pair : round) {
      EXPECT_TRUE(busy.insert(pair.near).second) << "node in two pairs of a round";
      EXPECT_TRUE(busy.insert(pair.far).second) << "node in two pairs of a round";
      EXPECT_TRUE(pairs.insert({pair.near, pair.far}).second) << "pair measured twice";
    }
  }
  return pairs;
}

TEST(Rounds, OfGivenPairsUseNoNodeTwice) {
  const std::vector<NodePair> pairs = {{0, 1}, {0, 2}, {3, 4}, {1, 2}};
  const std::vector<Round> rounds = rounds_of(pairs);
  ASSERT_EQ(rounds.size(), 3u);
  EXPECT_EQ(rounds[0], (Round{{0, 1}, {3, 4}}));
  EXPECT_EQ(rounds[1], (Round{{0, 2}}));
  EXPECT_EQ(rounds[2], (Round{{1, 2}}));
}

TEST(Rounds, OfAllPairsHaveEachPairOnceInAsFewRoundsAsThereCanBe) {
  for (std::size_t nodes = 2; nodes <= 33; ++nodes) {
    const std::vector<Round> rounds = rounds_of_all_pairs(nodes);
    EXPECT_EQ(rounds.size(), nodes % 2 == 0 ? nodes - 1 : nodes);
    EXPECT_EQ(pairs_in(rounds).size(), nodes * (nodes - 1) / 2);
  }
}

TEST(Rounds, OfSeveralRanksBeginWithAllAndAreThePowersOfTwoBelow) {
  EXPECT_EQ(numbers_of_ranks(1), (std::vector<std::size_t>{}));
  EXPECT_EQ(numbers_of_ranks(2), (std::vector<std::size_t>{2}));
  EXPECT_EQ(numbers_of_ranks(6), (std::vector<std::size_t>{6, 4, 2}));
  EXPECT_EQ(numbers_of_ranks(16), (std::vector<std::size_t>{16, 8, 4, 2}));
}

TEST(Rounds, OfSeveralRanksLeaveOutPairsThatHaveFewerAndTheLastOnesForLackOfTime) {
  const std::vector<Round> rounds = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}};
  const std::vector<std::size_t> ranks_of_nodes = {4, 4, 4, 2}, numbers = {4, 2};
  const std::vector<RoundOfRanks> all = {
      {{{0, 1}}, 4}, {{{0, 1}, {2, 3}}, 2}, {{{0, 2}}, 4}, {{{0, 2}, {1, 3}}, 2}};
  EXPECT_EQ(rounds_of_ranks(rounds, numbers, ranks_of_nodes, 100), all);
  EXPECT_EQ(rounds_of_ranks(rounds, numbers, ranks_of_nodes, 3),
            (std::vector<RoundOfRanks>{all.begin(), all.begin() + 3}));
  EXPECT_TRUE(rounds_of_ranks(rounds, numbers, ranks_of_nodes, 0).empty());
}

TEST(Rounds, OfManyNodesMeasureAllSizesOfSomePairsOfEachTwoPlatforms) {
  constexpr std::size_t kNodes = 1000;
  std::vector<std::string> platforms(kNodes, "old");
  platforms[17] = platforms[500] = "new";
  std::vector<RoundOfRanks> rounds;
  for (Round& round : rounds_of_some_pairs(kNodes, 10)) rounds.push_back({std::move(round)});
  const std::vector<RoundOfRanks> before = rounds;
  choose_in_full(platforms, rounds);
  EXPECT_EQ(rounds[0].in_full, kPairsInFullMax + 2) << "two pairs of old and new";
  const auto is_new = [&](std::size_t node) { return platforms[node] == "new"; };
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    EXPECT_TRUE(std::ranges::is_permutation(rounds[i].pairs, before[i].pairs));
    for (std::size_t pair = 0; i > 0 && pair < rounds[i].pairs.size(); ++pair) {
      const auto [near, far] = rounds[i].pairs[pair];
      EXPECT_EQ(pair < rounds[i].in_full, is_new(near) || is_new(far));
    }
  }
}

TEST(Rounds, OfUpTo64NodesMeasureAllSizesOfEachPair) {
  std::vector<RoundOfRanks> rounds;
  for (Round& round : rounds_of_some_pairs(64, 7)) rounds.push_back({std::move(round)});
  choose_in_full(std::vector<std::string>(64, "p"), rounds);
  for (const RoundOfRanks& round : rounds) EXPECT_EQ(round.in_full, round.pairs.size());
}

TEST(Rounds, OfOneNodeAreNone) {
  EXPECT_TRUE(rounds_of_all_pairs(1).empty());
  EXPECT_TRUE(rounds_of_some_pairs(1, 3).empty());
}

TEST(Rounds, OfSomePairsLeaveNoNodeOut) {
  EXPECT_EQ(rounds_of_some_pairs(2, 5).size(), 1u);
  EXPECT_EQ(rounds_of_some_pairs(9, 20).size(), 9u);
  EXPECT_EQ(rounds_of_some_pairs(10, 4).size(), 4u);
  for (std::size_t nodes = 2; nodes <= 33; ++nodes) {
    Nodes met;
    for (const Nodes& pair : pairs_in(rounds_of_some_pairs(nodes, 2))) {
      met.insert(pair.begin(), pair.end());
    }
    EXPECT_EQ(met.size(), nodes);
  }
}

}  // namespace
}  // namespace nmt::sampler
