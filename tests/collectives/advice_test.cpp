// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/advice.h"

#include <gtest/gtest.h>

namespace nmt::collectives {
namespace {

Rule rule(Operation operation, int nodes, std::uint64_t from_bytes, std::uint64_t to_bytes) {
  return {.operation = operation,
          .nodes = nodes,
          .ranks_per_node = 4,
          .from_bytes = from_bytes,
          .to_bytes = to_bytes};
}

const Advice kAdvice{
    .rules = {rule(Operation::kBcast, 2, 1000, 2000), rule(Operation::kBcast, 2, 4000, 8000),
              rule(Operation::kReduce, 3, 500, 600)},
    .warning = ""};

TEST(Advice, ARuleBeginsAtItsFirstSizeAndEndsBeforeItsLast) {
  const auto at = [](std::uint64_t bytes) {
    return find_rule(kAdvice.rules, Operation::kBcast, bytes);
  };
  EXPECT_EQ(at(999), nullptr);
  EXPECT_EQ(at(1000), &kAdvice.rules[0]);
  EXPECT_EQ(at(1999), &kAdvice.rules[0]);
  EXPECT_EQ(at(2000), nullptr);
  EXPECT_EQ(at(4000), &kAdvice.rules[1]);
  EXPECT_EQ(at(8000), nullptr);
  EXPECT_EQ(find_rule(kAdvice.rules, Operation::kAllgather, 1000), nullptr);
}

TEST(Advice, RulesAreForTheirNumberOfNodesAndRanksOnly) {
  EXPECT_EQ(rules_for(kAdvice, 2, 4).size(), 2u);
  EXPECT_EQ(rules_for(kAdvice, 3, 4).size(), 1u);
  EXPECT_TRUE(rules_for(kAdvice, 2, 5).empty());
  EXPECT_TRUE(rules_for(kAdvice, 4, 4).empty());
  EXPECT_EQ(rules_for(advice_to_act_always(), 7, 9).size(), kOperations.size());
}

TEST(Advice, ANumberOfRanksThatFitsNoShapeHasNoRules) {
  for (const int ranks : {5, 8, 6, 12}) EXPECT_TRUE(has_rules_for(kAdvice, ranks)) << ranks;
  for (const int ranks : {2, 4, 13}) EXPECT_FALSE(has_rules_for(kAdvice, ranks)) << ranks;
  EXPECT_TRUE(has_rules_for(advice_to_act_always(), 2));
}

TEST(Advice, BelowTheLeastSizeOfAnOperationNobodyLooksFurther) {
  EXPECT_EQ(kAdvice.least_bytes(Operation::kBcast), 1000u);
  EXPECT_EQ(kAdvice.least_bytes(Operation::kReduce), 500u);
  EXPECT_EQ(kAdvice.least_bytes(Operation::kAllreduce), ~std::uint64_t{0});
}

}  // namespace
}  // namespace nmt::collectives
