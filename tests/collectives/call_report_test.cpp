// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/call_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace nmt::collectives {
namespace {

using ::testing::HasSubstr;

constexpr CallKind kReduction{.collective = Collective::kAllreduce, .size_class = 5};
constexpr CallKind kFromRoot{.collective = Collective::kBcast, .size_class = 5};

// A log of one rank of two on two nodes, of one call.
std::vector<PackedKind> one_call(const CallKind& kind, int position, std::int64_t entered_ns,
                                 std::int64_t took_ns) {
  GroupLog group{
      .head = {.name = 7, .members = 2, .position = position, .nodes = 2, .ranks_per_node = 1},
      .kinds = {}};
  CallLog log(16);
  log.add(2000, {.root = 0, .position = position, .entered_ns = entered_ns, .took_ns = took_ns});
  group.kinds.emplace(kind, log);
  const GroupLog* groups[] = {&group};
  return unpack(pack(groups, true));
}

CallReport report_of(const std::vector<PackedKind>& first, const std::vector<PackedKind>& second,
                     const Predict& predict = {}) {
  const std::vector<PackedKind> ranks[] = {first, second};
  return make_call_report({.ranks = 2, .nodes = 2, .run_ns = 1000}, ranks, predict);
}

TEST(SizeClasses, BeginAtPowersOfFour) {
  EXPECT_EQ(size_class(0), 0);
  EXPECT_EQ(size_class(3), 0);
  EXPECT_EQ(size_class(4), 1);
  EXPECT_EQ(size_class(65535), 7);
  EXPECT_EQ(size_class(65536), 8);
  EXPECT_EQ(class_begin(0), 0u);
  EXPECT_EQ(class_begin(8), 65536u);
}

TEST(CallLogs, KeepTheSameCallsOnAllRanksWhateverTheirTimes) {
  CallLog one(64), other(64);
  for (int i = 0; i < 10000; ++i) {
    one.add(8, {.entered_ns = i, .took_ns = 1});
    other.add(8, {.entered_ns = 3 * i, .took_ns = i});
  }
  EXPECT_EQ(one.sums().calls, 10000u);
  EXPECT_LE(one.sampled().size(), 64u);
  EXPECT_GE(one.sampled().size(), 16u);
  ASSERT_EQ(one.sampled().size(), other.sampled().size());
  for (std::size_t i = 0; i < one.sampled().size(); ++i) {
    EXPECT_EQ(one.sampled()[i].number, other.sampled()[i].number);
  }
}

// The first rank enters at 100 and leaves at 260, the second is in it from 200 to 250.
TEST(CallReport, WaitingIsUntilTheLastRankHasEntered) {
  const CallReport report =
      report_of(one_call(kReduction, 0, 100, 160), one_call(kReduction, 1, 200, 50));
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows[0].calls, 1u);
  EXPECT_EQ(report.rows[0].size_bytes, 2000u);
  EXPECT_DOUBLE_EQ(report.rows[0].share, 210.0 / 2000);
  EXPECT_DOUBLE_EQ(*report.rows[0].waiting, 100.0 / 2000);
  EXPECT_EQ(report.clocks_apart_ns, 0);
}

TEST(CallReport, OfABcastNobodyWaitsForARankThatIsNotTheRoot) {
  const CallReport late =
      report_of(one_call(kFromRoot, 0, 100, 160), one_call(kFromRoot, 1, 200, 50));
  EXPECT_DOUBLE_EQ(*late.rows[0].waiting, 0);
  const CallReport root =
      report_of(one_call(kFromRoot, 0, 200, 50), one_call(kFromRoot, 1, 100, 160));
  EXPECT_DOUBLE_EQ(*root.rows[0].waiting, 100.0 / 2000);
}

TEST(CallReport, ACallThatSomeRanksHaveNotKeptTellsNoWaiting) {
  const CallReport report = report_of(one_call(kReduction, 0, 100, 160), {});
  EXPECT_FALSE(report.rows[0].waiting);
  EXPECT_DOUBLE_EQ(report.rows[0].share, 160.0 / 2000);
}

TEST(CallReport, ClocksThatLetARankLeaveBeforeAnotherEntersAreApart) {
  const CallReport report =
      report_of(one_call(kReduction, 0, 100, 60), one_call(kReduction, 1, 200, 50));
  EXPECT_DOUBLE_EQ(report.clocks_apart_ns, 40);
  EXPECT_THAT(to_text(report), HasSubstr("clocks of nodes disagreed by up to 40.0 ns"));
}

TEST(CallReport, SaysWhatReplacingWouldHaveGained) {
  const Predict predict = [](Collective collective, int nodes, int ranks_per_node,
                             std::uint64_t size_bytes) {
    EXPECT_EQ(collective, Collective::kAllreduce);
    EXPECT_EQ(nodes * 10 + ranks_per_node, 21);
    EXPECT_EQ(size_bytes, 2000u);
    return PredictedCall{.library_ns = 90, .ours_ns = 60};
  };
  const CallReport report =
      report_of(one_call(kReduction, 0, 100, 160), one_call(kReduction, 1, 200, 50), predict);
  EXPECT_DOUBLE_EQ(gain_ns(report.rows[0]), 30);
  EXPECT_THAT(to_text(report), HasSubstr(" 1.50 "));
  EXPECT_THAT(to_text(report), HasSubstr("would have gained 30.0 ns, 3.0 % of the run"));
  EXPECT_THAT(to_json(report), HasSubstr("\"gain_ns\":30"));
}

// Three nodes of 4, 2 and 1 ranks; nothing was measured on such.
TEST(CallReport, SaysNothingOfReplacingOnUnequalNodes) {
  const Predict predict = [](Collective, int, int, std::uint64_t) {
    return PredictedCall{.library_ns = 90, .ours_ns = 60};
  };
  std::vector<PackedKind> unequal = one_call(kReduction, 0, 100, 160);
  unequal[0].group.nodes = 3;
  unequal[0].group.ranks_per_node = 4;
  unequal[0].group.members = 7;
  const CallReport report = report_of(unequal, {}, predict);
  EXPECT_FALSE(report.rows[0].predicted);
  EXPECT_THAT(to_text(report), HasSubstr(" 3 x ..4 "));
  EXPECT_THAT(to_json(report), HasSubstr("\"ranks_per_node\":4,\"equal_nodes\":false"));
  unequal[0].group.members = 12;
  EXPECT_TRUE(report_of(unequal, {}, predict).rows[0].predicted);
}

TEST(CallReport, LinesFitIntoOneHundredColumnsWhateverTheNumbers) {
  std::vector<PackedKind> rank;
  for (const Collective collective : {Collective::kReduceScatterBlock, Collective::kBcast}) {
    rank.push_back({.group = {.name = 1, .members = 2, .nodes = 1000, .ranks_per_node = 128},
                    .kind = {.collective = collective, .size_class = 14},
                    .sums = {.calls = 12345678, .size_bytes = 1, .took_ns = 999},
                    .sampled = {}});
  }
  rank[0].kind.blocks = false;
  std::istringstream lines(to_text(report_of(rank, rank)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace nmt::collectives
