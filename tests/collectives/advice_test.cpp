// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "node/node.h"
#include "runtime/compile.h"

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

std::vector<Rule> rules_for(const Advice& advice, int nodes, const std::set<int>& ranks_per_node) {
  return RulesByShape(advice.rules).rules_for(nodes, ranks_per_node);
}

bool has_rules_for(const Advice& advice, int ranks) {
  return RulesByShape(advice.rules).has_rules_for(ranks);
}

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
  EXPECT_EQ(rules_for(kAdvice, 2, {4}).size(), 2u);
  EXPECT_EQ(rules_for(kAdvice, 3, {4}).size(), 1u);
  EXPECT_TRUE(rules_for(kAdvice, 2, {5}).empty());
  EXPECT_TRUE(rules_for(kAdvice, 4, {4}).empty());
  EXPECT_EQ(rules_for(advice_to_act_always(), 7, {9}).size(), kOperations.size());
}

TEST(Advice, PredictedRulesAreForRangesOfShapes) {
  Rule predicted = rule(Operation::kBcast, 5, 1000, 2000);
  predicted.nodes_max = 8;
  predicted.ranks_per_node_max = 6;
  const Advice advice{.rules = {predicted}, .warning = ""};
  for (const auto& [nodes, ranks_per_node] : {std::pair{5, 4}, {8, 6}, {6, 5}}) {
    EXPECT_EQ(rules_for(advice, nodes, {ranks_per_node}).size(), 1u) << nodes;
  }
  for (const auto& [nodes, ranks_per_node] : {std::pair{4, 4}, {9, 4}, {5, 3}, {5, 7}}) {
    EXPECT_TRUE(rules_for(advice, nodes, {ranks_per_node}).empty()) << nodes;
  }
  EXPECT_TRUE(has_rules_for(advice, 8));   // 4 + 1 + 1 + 1 + 1
  EXPECT_TRUE(has_rules_for(advice, 48));  // 8 x 6
  EXPECT_FALSE(has_rules_for(advice, 7));
  EXPECT_FALSE(has_rules_for(advice, 49));
}

// 4 + 2 + 1 ranks: between 3 x 4 and 3 x 1.
TEST(Advice, UnequalNodesFollowTheFullestWhereEqualNodesOfEachNumberHaveARule) {
  Rule fullest = rule(Operation::kBcast, 3, 1000, 9000);
  fullest.segment_bytes = 512;
  Rule middle = rule(Operation::kBcast, 3, 2000, 5000);
  middle.ranks_per_node = 2;
  Rule emptiest = rule(Operation::kBcast, 3, 0, 3000);
  emptiest.ranks_per_node = 1;
  Rule later = emptiest;
  later.from_bytes = 4000;
  later.to_bytes = ~std::uint64_t{0};
  Rule of_others = rule(Operation::kReduce, 3, 0, 9000);
  of_others.ranks_per_node = 1;
  const std::vector<Rule> without = {fullest, emptiest, later, of_others};
  EXPECT_TRUE(rules_for({.rules = without, .warning = ""}, 3, {1, 2, 4}).empty());
  std::vector<Rule> with = without;
  with.push_back(middle);
  const std::vector<Rule> rules = rules_for({.rules = with, .warning = ""}, 3, {1, 2, 4});
  ASSERT_EQ(rules.size(), 2u);
  const auto at = [&](std::uint64_t bytes) { return find_rule(rules, Operation::kBcast, bytes); };
  for (const std::uint64_t bytes : {1999, 3000, 3999, 5000}) EXPECT_EQ(at(bytes), nullptr) << bytes;
  for (const std::uint64_t bytes : {2000, 2999, 4000, 4999}) {
    ASSERT_NE(at(bytes), nullptr) << bytes;
    EXPECT_EQ(at(bytes)->segment_bytes, 512u) << bytes;
  }
  EXPECT_EQ(rules_for({.rules = with, .warning = ""}, 3, {4}).size(), 1u);
  EXPECT_EQ(rules_for(advice_to_act_always(), 3, {1, 2, 4}).size(), kOperations.size());
}

TEST(Advice, ANumberOfRanksThatFitsNoShapeHasNoRules) {
  for (const int ranks : {5, 8, 6, 12}) EXPECT_TRUE(has_rules_for(kAdvice, ranks)) << ranks;
  for (const int ranks : {2, 4, 13}) EXPECT_FALSE(has_rules_for(kAdvice, ranks)) << ranks;
  EXPECT_TRUE(has_rules_for(advice_to_act_always(), 2));
}

TEST(Advice, AtASizeWithoutARuleForAnyShapeNobodyLooksFurther) {
  const RulesByShape rules(kAdvice.rules);
  for (const std::uint64_t bytes : {1000, 1999, 4000, 7999}) {
    EXPECT_TRUE(rules.sizes(Operation::kBcast).contains(bytes)) << bytes;
  }
  for (const std::uint64_t bytes : {0, 999, 2000, 3999, 8000}) {
    EXPECT_FALSE(rules.sizes(Operation::kBcast).contains(bytes)) << bytes;
  }
  EXPECT_TRUE(rules.sizes(Operation::kReduce).contains(500));
  EXPECT_TRUE(rules.sizes(Operation::kAllreduce).empty());
  EXPECT_TRUE(RulesByShape().sizes(Operation::kBcast).empty());
}

TEST(Advice, OfSeveralRulesForASizeTheFirstCounts) {
  Rule sampled = rule(Operation::kBcast, 5, 1000, 2000), predicted = sampled;
  sampled.segment_bytes = 1;
  predicted.segment_bytes = 2;
  predicted.nodes = 2;
  predicted.nodes_max = 8;
  const Rule other = rule(Operation::kAllgather, 5, 1000, 2000);
  const Rule later = rule(Operation::kReduce, 5, 1, 2);
  for (const auto& [first, second] : {std::pair{sampled, predicted}, {predicted, sampled}}) {
    const Advice advice{.rules = {other, first, later, second}, .warning = ""};
    const std::vector<Rule> rules = rules_for(advice, 5, {4});
    ASSERT_EQ(rules.size(), 4u);
    EXPECT_EQ(find_rule(rules, Operation::kBcast, 1500)->segment_bytes, first.segment_bytes);
    EXPECT_NE(find_rule(rules, Operation::kAllgather, 1500), nullptr);
    EXPECT_NE(find_rule(rules, Operation::kReduce, 1), nullptr);
  }
}

TEST(MergedRanges, AreWhatTheRangesAreTogether) {
  const MergedRanges ranges({{20, 30}, {1, 5}, {5, 7}, {25, 40}, {9, 9}, {50, ~std::uint64_t{0}}});
  for (const std::uint64_t number : {1, 4, 5, 6, 20, 29, 30, 39, 50, 1 << 30}) {
    EXPECT_TRUE(ranges.contains(number)) << number;
  }
  for (const std::uint64_t number : {0, 7, 9, 19, 40, 49}) {
    EXPECT_FALSE(ranges.contains(number)) << number;
  }
  EXPECT_FALSE(ranges.empty());
  EXPECT_TRUE(MergedRanges(std::vector<MergedRanges::Range>{{3, 3}}).empty());
}

TEST(Advice, IsNoneWhereTheSiteHasTurnedItOffEvenIfAskedToActAlways) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("nmadtune-off-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "etc/nmadtune");
  EXPECT_FALSE(advice_to_act_always(root).rules.empty());
  std::ofstream(root / "etc/nmadtune/off");
  const Advice advice = advice_to_act_always(root);
  EXPECT_TRUE(advice.rules.empty());
  EXPECT_EQ(advice.warning, "the site has turned advice off; the MPI's own collectives are used");
  std::filesystem::remove_all(root);
}

// ---- from a profile with the rules of two MPIs ----

class TwoMpis : public ::testing::Test {
 protected:
  TwoMpis() {
    ::close(::mkstemp(file_.data()));
    write(node::cheap_fingerprint());
    ::setenv("NMADTUNE_DB", file_.c_str(), 1);
  }
  ~TwoMpis() override {
    ::unsetenv("NMADTUNE_DB");
    ::unlink(file_.c_str());
  }

  using Algorithms = std::vector<std::pair<std::string, std::string>>;  // by MPI

  void write(const Fields& fingerprint, const std::string& of_openmpi = "chain") const {
    write(fingerprint,
          Algorithms{{"Open MPI v4.1.4", of_openmpi}, {"MPICH Version: 4.0.2", "binary"}});
  }

  void write(const Fields& fingerprint, const Algorithms& algorithms) const {
    Plan plan;
    plan.platform = Id::random();
    for (const auto& [mpi, algorithm] : algorithms) {
      plan.segments.push_back({.operation = "bcast",
                               .nodes = 2,
                               .ranks_per_node = 4,
                               .segment_bytes = 4096,
                               .algorithm = algorithm,
                               .mpi = mpi});
    }
    const runtime::Provenance provenance{
        .platform = {.id = plan.platform, .name = "two", .fingerprint = fingerprint}};
    const runtime::Storage image = runtime::compile(provenance, plan);
    std::ofstream(file_, std::ios::binary)
        .write(reinterpret_cast<const char*>(image.bytes().data()),
               static_cast<std::streamsize>(image.bytes().size()));
  }

  std::string file_ = ::testing::TempDir() + "nmadtune-two-mpis-XXXXXX";
};

TEST_F(TwoMpis, EachJobFollowsTheRulesOfItsOwn) {
  const Advice openmpi = advice_from_profile("Open MPI v4.1.4");
  ASSERT_EQ(openmpi.rules.size(), 1u) << openmpi.warning;
  EXPECT_STREQ(openmpi.rules[0].algorithm, "chain");
  EXPECT_EQ(openmpi.warning, "");
  const Advice mpich = advice_from_profile("MPICH Version: 4.0.2");
  ASSERT_EQ(mpich.rules.size(), 1u) << mpich.warning;
  EXPECT_STREQ(mpich.rules[0].algorithm, "binary");
}

TEST_F(TwoMpis, MayHaveRulesThatChooseTheirOwnAlgorithms) {
  const std::string longest = "library:scatter_recursive_doubling_allgather";
  write(node::cheap_fingerprint(), longest);
  const Advice advice = advice_from_profile("Open MPI v4.1.4");
  ASSERT_EQ(advice.rules.size(), 1u) << advice.warning;
  EXPECT_EQ(advice.rules[0].algorithm, longest);
  write(node::cheap_fingerprint(), "library:" + std::string(100, 'x'));
  EXPECT_TRUE(advice_from_profile("Open MPI v4.1.4").rules.empty());
}

// Of a profile of the version before.
TEST_F(TwoMpis, NoJobFollowsRulesWithoutAnMpi) {
  write(node::cheap_fingerprint(), Algorithms{{"", "chain"}});
  for (const std::string mpi : {"Open MPI v4.1.4", "MPICH Version: 4.0.2"}) {
    const Advice advice = advice_from_profile(mpi);
    EXPECT_TRUE(advice.rules.empty());
    EXPECT_THAT(advice.warning, ::testing::HasSubstr("were sampled under an unknown MPI, and"));
  }
}

TEST_F(TwoMpis, AreFollowedUnderAnotherPatchReleaseWithADoubt) {
  Fields before = node::cheap_fingerprint();
  before["libc"] += " before";
  write(before);
  const Advice advice = advice_from_profile("Open MPI v4.1.4");
  EXPECT_EQ(advice.rules.size(), 1u);
  EXPECT_THAT(advice.warning, ::testing::StartsWith("libc was "));
  EXPECT_THAT(advice.warning, ::testing::HasSubstr("collectives are used, unconfirmed"));
}

TEST_F(TwoMpis, AJobUnderAnotherMpiOrVersionLeavesAllAloneAndSaysWhy) {
  const Advice advice = advice_from_profile("Open MPI v4.1.5");
  EXPECT_TRUE(advice.rules.empty());
  EXPECT_EQ(advice.warning,
            "the collectives of the profile were sampled under Open MPI v4.1.4 and MPICH Version: "
            "4.0.2, and this job runs under Open MPI v4.1.5, so the MPI's own are used; measure "
            "them with mpirun ... nmad-sample --parts collectives");
}

}  // namespace
}  // namespace nmt::collectives
