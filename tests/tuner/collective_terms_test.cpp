// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/collective_terms.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nmt::tuner {
namespace {

bool has(const std::vector<double>& terms, double term) {
  return std::ranges::find(terms, term) != terms.end();
}

// 4 MiB on 4 nodes: six times 1 MiB go through each link, in segments of 64 KiB.
TEST(CollectiveTerms, OfARingThatReducesAreOfItsPartsOfTheMessage) {
  for (const char* operation : {"reduce", "allreduce"}) {
    const std::vector<double> terms =
        collective_terms(operation, {"ring", 64 << 10, 1}, 4 << 20, {4, 2});
    EXPECT_TRUE(has(terms, 6)) << operation;
    EXPECT_TRUE(has(terms, 6 * 16)) << operation;
    EXPECT_TRUE(has(terms, 6 << 20)) << operation;
  }
}

TEST(CollectiveTerms, OfARingThatGathersAreOfTheDataOfEachRank) {
  const std::vector<double> terms = collective_terms("allgather", {"ring", 0, 1}, 4 << 20, {4, 2});
  EXPECT_TRUE(has(terms, 7 * double{4 << 20}));
}

TEST(CollectiveTerms, OfRecursiveDoublingHaveTwoRoundsMoreBetweenPowersOfTwo) {
  const auto rounds = [](std::int64_t nodes) {
    return collective_terms("allreduce", {"recursive_doubling", 0, 1}, 1000, {nodes, 1}).at(1);
  };
  EXPECT_EQ(rounds(1), 0);
  EXPECT_EQ(rounds(2), 1);
  EXPECT_EQ(rounds(3), 3);
  EXPECT_EQ(rounds(8), 3);
  EXPECT_EQ(rounds(9), 5);
}

// The model fits one cost for each term over all sampled shapes.
TEST(CollectiveTerms, AreAsManyOnEachShape) {
  for (const char* algorithm : {"ring", "recursive_doubling", "binomial", "library"}) {
    const auto count = [&](const CollectiveShape& shape) {
      return collective_terms("allreduce", {algorithm, 0, 1}, 1000, shape).size();
    };
    EXPECT_EQ(count({1, 4}), count({8, 1})) << algorithm;
  }
}

}  // namespace
}  // namespace nmt::tuner
