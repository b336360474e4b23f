// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/segments.h"

#include <gtest/gtest.h>

#include "core/collective_sample.h"

namespace nmt::tuner {
namespace {

struct Way {
  std::uint64_t size_bytes;
  const char* algorithm;
  std::int64_t segment_bytes;
  std::uint64_t time_ns;
};

std::vector<SampleSet> measured(const std::vector<Way>& ways, const char* operation = "bcast") {
  SampleSet set;
  for (const Way& way : ways) {
    Sample& sample = set.samples.emplace_back(Sample{.size_bytes = way.size_bytes});
    sample.condition.benchmark = benchmark::kCollective;
    sample.condition.operation = operation;
    sample.condition.algorithm = way.algorithm;
    sample.condition.segment_bytes = way.segment_bytes;
    sample.condition.leaders = 1;
    sample.condition.nodes = 4;
    sample.condition.ranks_per_node = 4;
    for (const std::uint64_t noise : {0, 1, 2, 3, 20}) {
      sample.repetitions.push_back({.total_ns = way.time_ns + noise});
    }
  }
  return {set};
}

std::vector<SegmentRule> rules_of(const std::vector<Way>& ways) {
  return derive_segments(collective_cells(measured(ways)));
}

TEST(Segments, ChangeBetweenTheSizesThatWereSampled) {
  const std::vector<SegmentRule> rules = rules_of({{4096, "chain", 1024, 1000},
                                                   {4096, "chain", 4096, 2000},
                                                   {16384, "chain", 1024, 3000},
                                                   {16384, "binary", 4096, 2000}});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0], (SegmentRule{"bcast", 4, 4, 4096, 8192, 1024, "chain"}));
  EXPECT_EQ(rules[1], (SegmentRule{"bcast", 4, 4, 8192, std::nullopt, 4096, "binary"}));
}

TEST(Segments, LeaveToTheLibraryWhatItDoesAsFast) {
  const std::vector<SegmentRule> rules = rules_of({{1024, "chain", 1024, 1000},
                                                   {1024, "library", 0, 1005},
                                                   {4096, "chain", 1024, 1000},
                                                   {4096, "library", 0, 1500},
                                                   {16384, "chain", 1024, 9000},
                                                   {16384, "library", 0, 4000}});
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].algorithm, "library");
  EXPECT_EQ(rules[0].segment_bytes, 1024u);  // the best of ours all the same
  EXPECT_EQ(rules[1].algorithm, "chain");
  // Between 1024 and 4096, where 1.005 to 1.5 times is 1.05; as large a loss follows as the gain.
  EXPECT_NEAR(static_cast<double>(*rules[0].to_bytes), 1192, 10);
  EXPECT_NEAR(static_cast<double>(*rules[1].to_bytes), 6150, 60);
  EXPECT_EQ(rules[2].algorithm, "library");
}

TEST(Segments, LeaveToTheLibraryWhatChanceMayHaveMadeFaster) {
  std::vector<SampleSet> sets = measured({{8, "chain", 0, 1145}, {8, "library", 0, 1360}});
  EXPECT_EQ(derive_segments(collective_cells(sets)).front().algorithm, "chain");
  std::vector<Sample>& samples = sets.front().samples;  // with the same medians:
  samples[0].repetitions = {{.total_ns = 921}, {.total_ns = 1147}, {.total_ns = 1775}};
  samples[1].repetitions = {{.total_ns = 1073}, {.total_ns = 1362}, {.total_ns = 1411}};
  EXPECT_EQ(derive_segments(collective_cells(sets)).front().algorithm, "library");
}

TEST(Segments, ActWhereLostPacketsAreAllThatScatters) {
  std::vector<SampleSet> sets = measured({{8, "chain", 0, 1145}, {8, "library", 0, 1360}});
  std::vector<Sample>& samples = sets.front().samples;
  samples[1].repetitions = {
      {.total_ns = 1360}, {.total_ns = 1361}, {.total_ns = 1365}, {.total_ns = 38'000}};
  EXPECT_EQ(derive_segments(collective_cells(sets)).front().algorithm, "chain");
}

// Ours at 4096 has a few times that scatter, around a median of 1000.
std::vector<SegmentRule> rules_with_a_doubtful_middle(std::uint64_t library_ns) {
  std::vector<SampleSet> sets = measured({{4096, "chain", 0, 1000},
                                          {4096, "library", 0, library_ns},
                                          {1024, "chain", 0, 500},
                                          {1024, "library", 0, 1000},
                                          {16384, "chain", 0, 4000},
                                          {16384, "library", 0, 8000}});
  sets.front().samples.front().repetitions = {
      {.total_ns = 900}, {.total_ns = 1000}, {.total_ns = 9000}};
  return derive_segments(collective_cells(sets));
}

TEST(Segments, ActAtADoubtfulSizeBetweenTwoWithoutDoubt) {
  const std::vector<SegmentRule> rules = rules_with_a_doubtful_middle(2000);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, "chain");
}

TEST(Segments, LeaveASizeBetweenTwoWithoutDoubtWhereTheLibraryIsFaster) {
  const std::vector<SegmentRule> rules = rules_with_a_doubtful_middle(900);
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[1].algorithm, "library");
}

TEST(Segments, AreThoseOfWhichNoCallWasSlowWhereMediansAreAlike) {
  std::vector<SampleSet> sets = measured({{4096, "chain", 0, 1000}, {4096, "binary", 0, 1040}});
  sets.front().samples.front().repetitions = {
      {.total_ns = 900}, {.total_ns = 1000}, {.total_ns = 2000}};
  EXPECT_EQ(derive_segments(collective_cells(sets)).front().algorithm, "binary");
}

TEST(Segments, ChooseAnotherAlgorithmOfTheMpiAsAnyOther) {
  const std::vector<SegmentRule> rules = rules_of({{4096, "chain", 1024, 1200},
                                                   {4096, "library", 0, 2000},
                                                   {4096, "library:binomial", 0, 1000},
                                                   {16384, "chain", 1024, 2000},
                                                   {16384, "library", 0, 4000},
                                                   {16384, "library:binomial", 0, 3990}});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].algorithm, "library:binomial");
  EXPECT_EQ(rules[0].segment_bytes, 0u);
  EXPECT_NEAR(rules[0].gain, 2, 0.01);
  EXPECT_EQ(rules[1].algorithm, "chain");
}

TEST(Segments, LeaveAnotherAlgorithmOfTheMpiWhereItsOwnChoiceIsAsFast) {
  const std::vector<SegmentRule> rules = rules_of({{4096, "chain", 1024, 9000},
                                                   {4096, "library", 0, 1030},
                                                   {4096, "library:binomial", 0, 1000}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, "library");
}

TEST(Segments, ActWhereThatWasSeenWhereTheLibraryWasNotMeasured) {
  const std::vector<SegmentRule> rules =
      rules_of({{1024, "chain", 0, 1000}, {4096, "chain", 0, 1000}, {4096, "library", 0, 900}});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].to_bytes, 1025u);
}

TEST(Segments, StayWhatTheyWereWhereNothingIsBetter) {
  const std::vector<SegmentRule> rules = rules_of({{4096, "chain", 1024, 1000},
                                                   {4096, "chain", 4096, 2000},
                                                   {16384, "chain", 1024, 2010},
                                                   {16384, "chain", 4096, 2000}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].segment_bytes, 1024u);
}

TEST(Segments, AreNotCutInTwoByTheNoiseOfOneSize) {
  const std::vector<SegmentRule> rules = rules_of({{4096, "chain", 1024, 1000},
                                                   {4096, "chain", 2048, 1200},
                                                   {8192, "chain", 1024, 2040},
                                                   {8192, "chain", 2048, 2000},
                                                   {16384, "chain", 1024, 3000},
                                                   {16384, "chain", 2048, 3300}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].segment_bytes, 1024u);
}

TEST(Segments, OfTheSizeOrMoreAreTheMessageWhole) {
  const std::vector<CollectiveCell> cells = collective_cells(measured(
      {{4096, "chain", 0, 1000}, {4096, "chain", 1024, 2000}, {16384, "chain", 8192, 2000}}));
  const std::vector<SegmentRule> rules = derive_segments(cells);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].segment_bytes, 8192u);
  EXPECT_NEAR(regret(rules, cells[0]).value(), 0, 1e-9);
}

TEST(Segments, AreRegrettedByWhatTheyLose) {
  const std::vector<CollectiveCell> cells =
      collective_cells(measured({{4096, "chain", 1024, 1000}, {4096, "chain", 2048, 1100}}));
  ASSERT_EQ(cells.size(), 1u);
  const std::vector<SegmentRule> best = derive_segments(cells);
  EXPECT_NEAR(regret(best, cells[0]).value(), 0, 1e-9);
  const std::vector<SegmentRule> other = {{"bcast", 4, 4, 0, std::nullopt, 2048, "chain"}};
  EXPECT_NEAR(regret(other, cells[0]).value(), 0.1, 1e-3);
  EXPECT_EQ(regret(std::vector<SegmentRule>{}, cells[0]), std::nullopt);
}

TEST(Segments, OfEachMpiAreDerivedFromItsOwnSamplesTheLastSampledFirst) {
  std::vector<SampleSet> sets = measured({{4096, "chain", 1024, 1000}, {4096, "library", 0, 2000}});
  sets.push_back(measured({{4096, "binary", 1024, 10}}).front());
  for (std::size_t i = 0; i < 2; ++i) {
    sets[i].campaign.started_utc = i == 0 ? "2026-02" : "2026-01";
    for (Sample& sample : sets[i].samples) sample.condition.mpi = i == 0 ? "new" : "another";
  }
  const std::vector<CollectiveCell> cells = collective_cells(sets);
  const std::vector<SegmentRule> rules = derive_segments(cells);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].mpi, "new");
  EXPECT_EQ(rules[0].algorithm, "chain");
  EXPECT_NEAR(rules[0].gain, 2, 0.01);
  EXPECT_EQ(rules[1].mpi, "another");
  EXPECT_EQ(rules[1].algorithm, "binary");
  EXPECT_EQ(rules[1].gain, 0);  // the MPI's own was not sampled
  EXPECT_EQ(regret(std::span(rules).first(1), cells[1]), std::nullopt);
  EXPECT_NEAR(regret(rules, cells[1]).value(), 0, 1e-9);
}

TEST(Segments, AreNotThoseOfAlltoallsForContention) {
  EXPECT_TRUE(collective_cells(measured({{4096, "direct", 0, 1000}}, "alltoall")).empty());
}

// Of 4 x 4 ranks' data, 64 KiB.
void expect_segments_of_an_exchange(const char* operation) {
  std::vector<SampleSet> sets = measured({{4096, "nodes", 0, 1000},
                                          {4096, "nodes", 32768, 500},
                                          {4096, "library", 0, 5000},
                                          {1024, "nodes", 0, 100},
                                          {1024, "library", 0, 500}},
                                         operation);
  for (Sample& sample : sets[0].samples) sample.condition.benchmark = benchmark::kExchange;
  const std::vector<CollectiveCell> cells = collective_cells(sets);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(message_bytes(cells[1], "nodes"), 65536u);
  const std::vector<SegmentRule> rules = derive_segments(cells);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, "nodes");
  EXPECT_EQ(rules[0].segment_bytes, 32768u);
  EXPECT_NEAR(regret(rules, cells[0]).value(), 0, 1e-9) << "16 KiB are sent whole";
  EXPECT_NEAR(regret(rules, cells[1]).value(), 0, 1e-9);
}

TEST(Segments, OfAnAlltoallDivideWhatOneNodeHasForAnother) {
  expect_segments_of_an_exchange("alltoall");
  expect_segments_of_an_exchange("alltoallv");
}

}  // namespace
}  // namespace nmt::tuner
