// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/rank_rounds.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace nmt::collectives {
namespace {

using Groups = std::vector<std::vector<int>>;

const Groups kCases[] = {{{0}},
                         {{0, 1, 2}},
                         {{0}, {1}},
                         {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}},
                         {{0, 3, 5}, {1}, {2, 4}, {6, 7, 8, 9, 10}}};

std::vector<std::vector<RankRound>> all_rounds(const Groups& groups) {
  std::map<int, std::vector<RankRound>> by_rank;
  for (const std::vector<int>& group : groups) {
    for (const int rank : group) by_rank[rank] = rank_rounds(groups, rank);
  }
  std::vector<std::vector<RankRound>> all;
  for (const auto& [rank, rounds] : by_rank) all.push_back(rounds);
  return all;
}

TEST(RankRounds, EachRankSendsToEachOnceAndEachReceiverKnowsFromWhom) {
  for (const Groups& groups : kCases) {
    const auto all = all_rounds(groups);
    std::set<std::pair<int, int>> sent;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      ASSERT_EQ(all[rank].size(), all[0].size());
      for (std::size_t round = 0; round < all[rank].size(); ++round) {
        const RankRound& own = all[rank][round];
        if (own.to == RankRound::kNobody) continue;
        EXPECT_TRUE(sent.emplace(rank, own.to).second);
        EXPECT_EQ(all[static_cast<std::size_t>(own.to)][round].from, static_cast<int>(rank));
      }
    }
    EXPECT_EQ(sent.size(), all.size() * all.size());
  }
}

TEST(RankRounds, EachNodeSendsToOneNodeAtATime) {
  for (const Groups& groups : kCases) {
    const auto all = all_rounds(groups);
    for (std::size_t round = 0; round < all[0].size(); ++round) {
      for (const std::vector<int>& group : groups) {
        std::set<std::size_t> receivers;
        for (const int rank : group) {
          const int to = all[static_cast<std::size_t>(rank)][round].to;
          for (std::size_t other = 0; other < groups.size(); ++other) {
            for (const int each : groups[other]) {
              if (each == to) receivers.insert(other);
            }
          }
        }
        EXPECT_LE(receivers.size(), 1u);
      }
    }
  }
}

}  // namespace
}  // namespace nmt::collectives
