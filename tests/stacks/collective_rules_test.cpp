// SPDX-License-Identifier: BSD-3-Clause
//
// Rules for collectives from planted durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/method.h"
#include "stacks/stacks.h"

namespace nmt::stacks {
namespace {

using ::testing::AllOf;
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

SampleSet set_of(const std::vector<Sample>& cells, const std::string& when = "1",
                 const std::string& rail = "openmpi/collectives") {
  SampleSet set;
  set.campaign.started_utc = when;
  set.path.from = {.driver = rail, .name = "", .fingerprint = {}};
  set.samples = cells;
  return set;
}

RuleChoice choice_from(const std::vector<SampleSet>& sets) {
  return choose_rules(stack_samples("openmpi", sets));
}
RuleChoice choice_from(const std::vector<Sample>& cells) {
  return choice_from(std::vector<SampleSet>{set_of(cells)});
}

// Own choice in launches with the rules and without.
std::vector<Sample> compared(const std::string& operation, double without_ns, double with_ns) {
  std::vector<Sample> cells;
  for (const std::uint64_t size_bytes : {64, 1024}) {
    cells.push_back(cell(operation, 16, "default", size_bytes, without_ns));
    cells.push_back(cell(operation, 16, "default", size_bytes, with_ns));
    cells.back().condition.variant = to_variant(rules_settings("openmpi", ""));
  }
  return cells;
}

// A bcast that rules make slower at 64 B, and faster at 1 KiB.
SampleSet ab_lost_at_64_bytes() {
  std::vector<Sample> launches = compared("bcast", 1e5, 6e4);
  for (Repetition& each : launches.at(1).repetitions) each.total_ns *= 2;
  return set_of(launches, "2", "openmpi/own_choice");
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

// Of an Open MPI 5, whose own choice is that of coll/han.
TEST(StackRules, SayWhatTheBetterOfTunedAndHanIsWorthBesideTheFastestAlgorithm) {
  const RuleChoice choice =
      choice_from({cell("bcast", 16, "default", 64, 1e5), cell("bcast", 16, "tuned", 64, 8e4),
                   cell("bcast", 16, "chain", 64, 5e4)});
  ASSERT_EQ(choice.cells.size(), 1u);
  EXPECT_EQ(choice.cells[0].algorithm, "chain");
  EXPECT_NEAR(choice.cells[0].best_gain, 2, 1e-3);
  EXPECT_NEAR(choice.cells[0].component_gain, 1.25, 1e-3);
}

TEST(StackRules, BecomeRulesThatProgramsAskFor) {
  SampleSet openmpi = set_of(
      {cell("bcast", 16, "default", 64, 1e5), cell("bcast", 16, "binomial", 64, 1.01e5),
       cell("bcast", 16, "default", 1024, 1e6), cell("bcast", 16, "pipeline", 1024, 5e5, 16384)});
  for (Sample& sample : openmpi.samples) sample.condition.mpi = "Open MPI v4.1.4";
  SampleSet mpich =
      set_of({cell("bcast", 4, "default", 64, 2e5), cell("bcast", 4, "tree", 64, 1e5)}, "1",
             "mpich/collectives");
  for (Sample& sample : mpich.samples) sample.condition.mpi = "MPICH Version: 4.0.2";
  const std::vector<LibraryRule> rules = library_rules(std::vector<SampleSet>{mpich, openmpi});
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].mpi, "Open MPI v4.1.4");
  EXPECT_EQ(rules[0].algorithm, "");  // its own choice
  EXPECT_EQ(rules[0].from_bytes, 64u);
  EXPECT_EQ(rules[0].to_bytes, 256u);
  EXPECT_EQ(rules[1].algorithm, "pipeline");
  EXPECT_EQ(rules[1].segment_bytes, 16384u);
  EXPECT_EQ(rules[1].from_bytes, 256u);
  EXPECT_EQ(rules[1].to_bytes, 1025u);
  EXPECT_NEAR(rules[1].gain, 2, 1e-3);
  EXPECT_LE(rules[1].low, rules[1].gain);
  EXPECT_EQ(rules[2].mpi, "MPICH Version: 4.0.2");
  EXPECT_EQ(rules[2].ranks, 4);
}

TEST(StackRules, CountTheBytesOfAllRanksWhereTheLibraryDoes) {
  const RuleChoice choice = choice_from(
      {cell("alltoall", 4, "default", 16, 1e5), cell("alltoall", 4, "linear", 16, 1e5),
       cell("alltoall", 4, "default", 64, 1e6), cell("alltoall", 4, "pairwise", 64, 5e5)});
  EXPECT_EQ(choice.rules.at("alltoall").at(4),
            (std::vector<TunedRule>{{0, 0, 0, 0}, {4 * 32, 2, 0, 0}}));
}

TEST(StackRules, AreLeftOutAtSizesThatLostAnAbSinceTheyWereSampled) {
  std::vector<Sample> sampled;
  for (const std::string operation : {"bcast", "reduce"}) {
    sampled.push_back(cell(operation, 16, "default", 64, 1e5));
    sampled.push_back(cell(operation, 16, "chain", 64, 5e4));
  }
  std::vector<Sample> lost = compared("bcast", 1e5, 1.2e5);
  for (const Sample& each : compared("reduce", 1e5, 6e4)) lost.push_back(each);
  const SampleSet ab = set_of(lost, "2", "openmpi/own_choice");
  const RuleChoice choice = choice_from(std::vector<SampleSet>{set_of(sampled), ab});
  EXPECT_FALSE(choice.rules.contains("bcast"));
  EXPECT_TRUE(choice.rules.contains("reduce"));
  ASSERT_EQ(choice.notes.size(), 2u);
  EXPECT_EQ(choice.notes[0],
            "left out: bcast on 16 ranks: slower by rules in nmad-tune ab of 2: 20.0 % at 64 B");
  // Sampled again, they are other rules.
  const RuleChoice again =
      choice_from(std::vector<SampleSet>{set_of(sampled), ab, set_of(sampled, "3")});
  EXPECT_TRUE(again.rules.contains("bcast"));
}

TEST(StackRules, StayAtSizesThatDidNotLose) {
  std::vector<Sample> sampled;
  for (const std::uint64_t size_bytes : {64, 1024, 16384}) {
    sampled.push_back(cell("bcast", 16, "default", size_bytes, 1e5));
    sampled.push_back(cell("bcast", 16, "chain", size_bytes, 5e4));
  }
  std::vector<Sample> launches = compared("bcast", 1e5, 9e4);
  Sample& with_rule = launches.at(3);  // of 1 KiB
  ASSERT_EQ(with_rule.size_bytes, 1024u);
  for (Repetition& each : with_rule.repetitions) {  // 4 % slower, but in no round of two alike
    each.total_ns = static_cast<std::uint64_t>(1.04e5 * (1 + 0.1 * each.round) *
                                               (each.round % 4 == 0 ? 0.9 : 1));
  }
  const SampleSet ab = set_of(launches, "2", "openmpi/own_choice");
  const StackSamples read = stack_samples("openmpi", std::vector<SampleSet>{ab}).at(0);
  const auto rounds = [&](const std::string& variant) {
    return read.times
        .at({.operation = "bcast", .algorithm = "default", .ranks = 16, .variant = variant})
        .at(1024);
  };
  const Ratio lost = ratio_of(rounds(""), rounds(to_variant(rules_settings("openmpi", ""))));
  EXPECT_LT(lost.value, 0.98);
  EXPECT_GT(lost.high, 1);  // not certain

  const RuleChoice choice = choice_from(std::vector<SampleSet>{set_of(sampled), ab});
  ASSERT_EQ(choice.cells.size(), 3u);
  EXPECT_EQ(choice.cells[0].algorithm, "chain");
  EXPECT_EQ(choice.cells[1].algorithm, kOwnChoice);
  EXPECT_EQ(choice.cells[2].algorithm, "chain");
  EXPECT_EQ(choice.rules.at("bcast").at(16),
            (std::vector<TunedRule>{{0, 2, 0, 0}, {256, 0, 0, 0}, {4096, 2, 0, 0}}));
  ASSERT_EQ(choice.notes.size(), 2u);
  EXPECT_THAT(choice.notes[0], HasSubstr("rules at 2 of 3 sizes"));
  EXPECT_THAT(choice.notes[1], AllOf(HasSubstr("left out: bcast on 16 ranks: slower by rules"),
                                     HasSubstr("% at 1 KiB")));
}

// coll/han has one segment for all sizes of an operation.
TEST(StackRules, AreTheBestWithoutASegmentOfHanThatLost) {
  std::vector<Sample> sampled;
  for (const std::uint64_t size_bytes : {64, 1024}) {
    sampled.push_back(cell("bcast", 16, "default", size_bytes, 1e5));
    sampled.push_back(cell("bcast", 16, "han", size_bytes, 5e4, 16384));
    sampled.push_back(cell("bcast", 16, "chain", size_bytes, 7e4));
  }
  const SampleSet before = set_of(sampled), ab = ab_lost_at_64_bytes();
  EXPECT_EQ(choice_from(std::vector<SampleSet>{before}).han_segments.size(), 1u);
  const RuleChoice choice = choice_from(std::vector<SampleSet>{before, ab});
  EXPECT_TRUE(choice.han_segments.empty());
  ASSERT_EQ(choice.cells.size(), 2u);
  EXPECT_EQ(choice.cells[0].algorithm, kOwnChoice);
  EXPECT_EQ(choice.cells[1].algorithm, "chain");
  EXPECT_THAT(choice.notes.at(1), HasSubstr("20.0 % at 64 B"));
}

TEST(StackRules, AreNoneWhereASegmentOfHanThatLostWasAllThereIs) {
  const SampleSet before =
      set_of({cell("bcast", 16, "default", 64, 1e5), cell("bcast", 16, "han", 64, 5e4, 16384)});
  const SampleSet ab = set_of(compared("bcast", 1e5, 1.2e5), "2", "openmpi/own_choice");
  const RuleChoice choice = choice_from(std::vector<SampleSet>{before, ab});
  EXPECT_TRUE(choice.han_segments.empty());
  EXPECT_TRUE(ruled_operations(choice.cells).empty());
  EXPECT_THAT(choice.notes.at(0), HasSubstr("20.0 % at 64 B"));
}

TEST(StackRules, AreLeftOutForAnOperationThatIsSlowerWhereItHasNone) {
  const std::vector<Sample> sampled = {
      cell("bcast", 16, "default", 64, 1e5), cell("bcast", 16, "chain", 64, 1.2e5),
      cell("bcast", 16, "default", 1024, 1e5), cell("bcast", 16, "han", 1024, 5e4)};
  const SampleSet before = set_of(sampled), ab = ab_lost_at_64_bytes();
  EXPECT_EQ(ruled_operations(choice_from(std::vector<SampleSet>{before}).cells).size(), 1u);
  const RuleChoice choice = choice_from(std::vector<SampleSet>{before, ab});
  EXPECT_TRUE(ruled_operations(choice.cells).empty());
  EXPECT_THAT(choice.notes.at(0), HasSubstr("20.0 % at 64 B"));
}

TEST(StackRules, StayWhereASizeWithoutOneIsSlowerAndNothingActsOnIt) {
  const std::vector<Sample> sampled = {
      cell("bcast", 16, "default", 64, 1e5), cell("bcast", 16, "chain", 64, 1.2e5),
      cell("bcast", 16, "default", 1024, 1e5), cell("bcast", 16, "chain", 1024, 5e4)};
  const RuleChoice choice =
      choice_from(std::vector<SampleSet>{set_of(sampled), ab_lost_at_64_bytes()});
  EXPECT_EQ(ruled_operations(choice.cells).size(), 1u);
  EXPECT_EQ(choice.notes.size(), 1u);
}

TEST(StackRules, OfOneNumberOfRanksStayOutWhenAnotherNumberIsSampled) {
  const auto sampled_on = [](std::int64_t ranks, const std::string& when) {
    return set_of(
        {cell("bcast", ranks, "default", 64, 1e5), cell("bcast", ranks, "chain", 64, 5e4)}, when);
  };
  const SampleSet ab = set_of(compared("bcast", 1e5, 1.2e5), "2", "openmpi/own_choice");
  const RuleChoice choice =
      choice_from(std::vector<SampleSet>{sampled_on(16, "1"), ab, sampled_on(4, "3")});
  EXPECT_TRUE(has_rules_for(choice.cells, "bcast", 4));
  EXPECT_FALSE(has_rules_for(choice.cells, "bcast", 16));
}

TEST(StackRules, AreLeftOutAltogetherWhereTheySlowAProgramDown) {
  std::vector<Sample> program = compared("./solver", 1e9, 1.3e9);
  program.resize(2);
  for (Sample& each : program) {
    each.size_bytes = 0;
    each.condition.benchmark = benchmark::kStackMessage;
    each.condition.algorithm.clear();
  }
  const std::vector<Sample> sampled = {cell("bcast", 16, "default", 64, 1e5),
                                       cell("bcast", 16, "chain", 64, 5e4)};
  const RuleChoice choice =
      choice_from(std::vector<SampleSet>{set_of(sampled), set_of(program, "2", "openmpi/program")});
  EXPECT_TRUE(choice.rules.empty());
  EXPECT_THAT(choice.notes.at(0), HasSubstr("for './solver'"));
}

TEST(StackRules, AreNoneWhereTheLibraryChoosesWell) {
  const RuleChoice choice = choice_from(
      {cell("reduce", 16, "default", 64, 1e5), cell("reduce", 16, "binomial", 64, 1.3e5)});
  EXPECT_TRUE(choice.rules.empty());
  ASSERT_EQ(choice.notes.size(), 1u);
  EXPECT_THAT(choice.notes[0], HasSubstr("left out: reduce on 16 ranks"));
}

}  // namespace
}  // namespace nmt::stacks
