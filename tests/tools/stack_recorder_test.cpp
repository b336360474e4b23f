// SPDX-License-Identifier: BSD-3-Clause
//
// Launches of a planted stack on a machine whose cores move: what counts of them.
#include "tools/stack/stack_recorder.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

constexpr std::uint64_t kSizeBytes = 4096;

class StackRecorder : public Sandbox {
 protected:
  StackRecorder()
      : db_(path("a.db"), {.mode = profiledb::ProfileDb::Mode::kWrite}),
        job_{.stack = stacks::find_stack("ucx")} {
    first_.library = "Open MPI v5.0.7";
    first_.hosts = {"one", "two"};
    recorder_.emplace(db_, job_, first_, Fields{}, tools::Invocation{});
  }

  // `near` at its start and at its end: the cores are threads of one physical core.
  void launch(std::uint32_t round, bool near_before, bool near_after) {
    sampler::LaunchedRound launched = first_;
    for (const bool near : {near_before, near_after}) {
      for (const double ns : {100.0, 2000.0}) {
        launched.timings.core_exchanges_ns.push_back(near ? ns / 2 : ns);
      }
    }
    for (const auto placement : {sampler::kSameNode, sampler::kOtherNode}) {
      launched.timings.cells.push_back(
          {.placement = std::string(placement), .size_bytes = kSizeBytes, .totals_ns = {1, 2, 3}});
    }
    recorder_->add(launched, {}, round);
  }

  // Rounds of undisturbed messages.
  std::set<std::uint32_t> rounds(std::string_view placement) const {
    std::set<std::uint32_t> all;
    for (const stacks::StackSamples& samples : recorder_->samples()) {
      if (samples.placement != placement) continue;
      for (const auto& [round, ns] : samples.times.begin()->second.at(kSizeBytes)) {
        all.insert(round);
      }
    }
    return all;
  }

  profiledb::ProfileDb db_;
  sampler::StackJob job_;
  sampler::LaunchedRound first_;
  std::optional<tools::StackRecorder> recorder_;
};

TEST_F(StackRecorder, LeavesOutWhatCoresElsewhereMeasured) {
  for (std::uint32_t round = 0; round < 4; ++round) launch(round, false, false);
  launch(4, true, true);
  launch(5, false, true);
  launch(6, false, false);
  EXPECT_EQ(rounds(sampler::kSameNode), (std::set<std::uint32_t>{0, 1, 2, 3, 6}));
  EXPECT_EQ(rounds(sampler::kOtherNode), (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(recorder_->moved_rounds(0), 2U);
  EXPECT_EQ(recorder_->moved_rounds(5), 1U);
  EXPECT_EQ(recorder_->core_exchange_ns(), 2000);
}

TEST_F(StackRecorder, GoesByWhereTheCoresWereMostOfTheTime) {
  for (std::uint32_t round = 0; round < 5; ++round) launch(round, false, false);
  for (std::uint32_t round = 5; round < 11; ++round) launch(round, true, true);
  EXPECT_EQ(rounds(sampler::kSameNode), (std::set<std::uint32_t>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(recorder_->moved_rounds(0), 5U);
  EXPECT_EQ(recorder_->core_exchange_ns(), 1000);
}

TEST_F(StackRecorder, TriesLimitsInTheStateInWhichTheyWereFound) {
  for (std::uint32_t round = 0; round < 5; ++round) launch(round, false, false);
  recorder_->settle_state();
  for (std::uint32_t round = 5; round < 12; ++round) launch(round, true, true);
  EXPECT_EQ(rounds(sampler::kSameNode), (std::set<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(recorder_->moved_rounds(5), 7U);
}

TEST_F(StackRecorder, CountsAllLaunchesWhoseRanksDoNotShareANode) {
  for (std::uint32_t round = 0; round < 6; ++round) {
    sampler::LaunchedRound launched = first_;
    launched.timings.cells.push_back({.placement = std::string(sampler::kOtherNode),
                                      .size_bytes = kSizeBytes,
                                      .totals_ns = {round + 1U}});
    recorder_->add(launched, {}, round);
  }
  EXPECT_EQ(rounds(sampler::kOtherNode).size(), 6U);
  EXPECT_EQ(recorder_->moved_rounds(0), 0U);
  EXPECT_EQ(recorder_->core_exchange_ns(), 0);
}

}  // namespace
}  // namespace nmt::testing
