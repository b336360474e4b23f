// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for collectives from planted durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/method.h"
#include "tuner/tuner.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

Sample cell(const std::string& operation, std::int64_t ranks, const std::string& algorithm,
            std::uint64_t size_bytes, double duration_ns, std::int64_t segment_bytes = 0) {
  Sample sample{.size_bytes = size_bytes};
  sample.condition = {.benchmark = std::string(benchmark::kStackCollective),
                      .operation = operation,
                      .algorithm = algorithm,
                      .ranks = ranks,
                      .segment_bytes = segment_bytes};
  for (std::uint32_t round = 0; round < 8; ++round) {
    const double drift = 1 + 0.1 * round;  // the same for all that take turns
    sample.repetitions.push_back(
        {.total_ns = static_cast<std::uint64_t>(duration_ns * drift), .round = round});
  }
  return sample;
}

RuleChoice choice_from(const std::vector<Sample>& cells) {
  SampleSet set;
  set.path.from = {.driver = "openmpi/collectives", .name = "", .fingerprint = {}};
  set.samples = cells;
  const std::vector<SampleSet> sets = {set};
  return choose_rules(stack_samples("openmpi", sets));
}

TEST(StackRules, TakeTheFastestWhereItIsMeasurablyFasterThanTheLibrarysOwnChoice) {
  const RuleChoice choice =
      choice_from({cell("bcast", 16, "default", 64, 1e5), cell("bcast", 16, "binomial", 64, 1.01e5),
                   cell("bcast", 16, "default", 1024, 1e6), cell("bcast", 16, "chain", 1024, 6e5),
                   cell("bcast", 16, "pipeline", 1024, 5e5, 16384)});
  const auto& rules = choice.rules.at("bcast");
  EXPECT_EQ(rules.at(16), (std::vector<TunedRule>{{0, 0, 0, 0}, {256, 3, 0, 16384}}));
  EXPECT_EQ(rules.at(1), (std::vector<TunedRule>{{0, 0, 0, 0}}));   // fewer ranks
  EXPECT_EQ(rules.at(32), (std::vector<TunedRule>{{0, 0, 0, 0}}));  // many more
  ASSERT_EQ(choice.notes.size(), 1u);
  EXPECT_THAT(choice.notes[0], HasSubstr("rules at 1 of 2 sizes, 2.00 times"));
  ASSERT_EQ(choice.cells.size(), 2u);
  EXPECT_EQ(choice.cells[0].algorithm, kOwnChoice);
  EXPECT_EQ(choice.cells[0].best_gain, 1);
  EXPECT_EQ(choice.cells[1].algorithm, "pipeline");
  EXPECT_NEAR(choice.cells[1].best_gain, 2, 1e-3);
}

TEST(StackRules, CountTheBytesOfAllRanksWhereTheLibraryDoes) {
  const RuleChoice choice = choice_from(
      {cell("alltoall", 4, "default", 16, 1e5), cell("alltoall", 4, "linear", 16, 1e5),
       cell("alltoall", 4, "default", 64, 1e6), cell("alltoall", 4, "pairwise", 64, 5e5)});
  EXPECT_EQ(choice.rules.at("alltoall").at(4),
            (std::vector<TunedRule>{{0, 0, 0, 0}, {4 * 32, 2, 0, 0}}));
}

TEST(StackRules, AreNoneWhereTheLibraryChoosesWell) {
  const RuleChoice choice = choice_from(
      {cell("reduce", 16, "default", 64, 1e5), cell("reduce", 16, "binomial", 64, 1.3e5)});
  EXPECT_TRUE(choice.rules.empty());
  ASSERT_EQ(choice.notes.size(), 1u);
  EXPECT_THAT(choice.notes[0], HasSubstr("left out: reduce on 16 ranks"));
}

}  // namespace
}  // namespace nmt
