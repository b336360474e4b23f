// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace nmt::sampler {
namespace {

using Nodes = std::vector<std::vector<int>>;

Nodes blocks(int nodes, int per_node) {
  Nodes all(static_cast<std::size_t>(nodes), std::vector<int>(static_cast<std::size_t>(per_node)));
  int next = 0;
  for (std::vector<int>& node : all) {
    std::iota(node.begin(), node.end(), next);
    next += per_node;
  }
  return all;
}

// Each rank goes through its own questions in order, and a question needs both of its ranks: when
// it is answered, in rounds, if those that can be are asked at once.
std::vector<int> rounds_of(const std::vector<ClockQuestion>& questions) {
  std::map<int, int> free_from;
  std::vector<int> rounds;
  for (const ClockQuestion& question : questions) {
    const int round = std::max(free_from[question.knows], free_from[question.asked]);
    free_from[question.knows] = free_from[question.asked] = round + 1;
    rounds.push_back(round);
  }
  return rounds;
}

const std::pair<int, int> kJobs[] = {{1, 1}, {1, 2}, {2, 1}, {3, 4}, {10, 1}, {32, 4}, {512, 8}};

TEST(ClockQuestions, ReachEveryRankOnceFromOneThatKnows) {
  for (const auto& [nodes, per_node] : kJobs) {
    std::vector<bool> knows(static_cast<std::size_t>(nodes * per_node), false);
    knows[0] = true;
    for (const ClockQuestion& question : clock_questions(blocks(nodes, per_node))) {
      EXPECT_TRUE(knows[static_cast<std::size_t>(question.knows)]);
      EXPECT_FALSE(knows[static_cast<std::size_t>(question.asked)]);
      knows[static_cast<std::size_t>(question.asked)] = true;
    }
    EXPECT_EQ(std::ranges::count(knows, false), 0) << nodes << " x " << per_node;
  }
}

TEST(ClockQuestions, TakeAsManyRoundsAsTheTreesAreDeep) {
  for (const auto& [nodes, per_node] : kJobs) {
    const std::vector<int> rounds = rounds_of(clock_questions(blocks(nodes, per_node)));
    const int depth = std::bit_width(static_cast<unsigned>(nodes - 1)) +
                      std::bit_width(static_cast<unsigned>(per_node - 1));
    EXPECT_EQ(rounds.empty() ? 0 : std::ranges::max(rounds) + 1, depth)
        << nodes << " x " << per_node;
  }
}

// One NIC that carries two questions at a time makes both of their round trips longer.
TEST(ClockQuestions, BetweenNodesAreOneToANodeAtATime) {
  const Nodes nodes = blocks(32, 4);
  const std::vector<ClockQuestion> questions = clock_questions(nodes);
  const std::vector<int> rounds = rounds_of(questions);
  std::map<std::pair<int, int>, int> at_a_time;  // by round and node
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const int from = questions[i].knows / 4, to = questions[i].asked / 4;
    if (from == to) continue;
    EXPECT_EQ(++at_a_time[std::pair(rounds[i], from)], 1);
    EXPECT_EQ(++at_a_time[std::pair(rounds[i], to)], 1);
  }
}

TEST(ClockQuestions, AreOfNodesThatDiffer) {
  const std::vector<ClockQuestion> questions = clock_questions({{0, 3, 5}, {1}, {2, 4}});
  EXPECT_EQ(questions.size(), 5u);
}

}  // namespace
}  // namespace nmt::sampler
