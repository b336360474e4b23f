// SPDX-License-Identifier: BSD-3-Clause
//
// What the two ends of a campaign say to each other: read as it was written, and nothing else.
#include "sampler/rail/remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/error.h"

namespace nmt::sampler::remote {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSizeBytesMax = 1 << 20;

std::vector<Step> some_steps() {
  std::vector<Step> steps;
  for (std::uint8_t traffic = 0; traffic < std::size(kTraffics); ++traffic) {
    steps.push_back(
        {.experiment = {traffic, Method::kRendezvous, 1, Regime::kCold, true, kSizeBytesMax},
         .warm_ups = 1,
         .repetitions = 2,
         .batch = 3});
  }
  return steps;
}

nmt::Sample some_sample() {
  nmt::Sample sample{.size_bytes = 4096, .held_out = true, .run_delay_ns = 12.5};
  sample.condition.benchmark = "transfer";
  sample.condition.method = "iovec";
  sample.condition.placement = "other-node";
  sample.condition.header_bytes = 64;
  sample.repetitions = {{1000, 2, 3, false}, {123456789012, 4, 5, true}};
  return sample;
}

// As each end calls them.
std::vector<RailToSample> rails_named(const std::vector<std::string>& names) {
  std::vector<RailToSample> rails;
  for (const std::string& name : names) rails.push_back({.rail = {.driver = "tcp", .name = name}});
  return rails;
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    return error.what();
  }
  return "";
}

TEST(Remote, StepsAreReadAsTheyWereWritten) {
  const std::vector<Step> steps = some_steps();
  const std::vector<Step> read = steps_from(to_text(steps), kSizeBytesMax);
  ASSERT_EQ(read.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_TRUE(read[i].experiment == steps[i].experiment);
    EXPECT_EQ(read[i].warm_ups, steps[i].warm_ups);
    EXPECT_EQ(read[i].repetitions, steps[i].repetitions);
    EXPECT_EQ(read[i].batch, steps[i].batch);
  }
}

TEST(Remote, TheLargestBlockIsRead) {
  const Step largest{
      .experiment = {0, Method::kRendezvous, 255, Regime::kCold, true, kSizeBytesMax},
      .warm_ups = 1'000'000'000,
      .repetitions = 1'000'000'000,
      .batch = 1'000'000'000};
  const std::string text = to_text(std::vector<Step>(kStepsMax, largest));
  EXPECT_LE(text.size(), kTextBytesMax);
  EXPECT_EQ(steps_from(text, kSizeBytesMax).size(), kStepsMax);
}

TEST(Remote, TheLargestCellIsReadAndALargerOneIsNotSent) {
  nmt::Sample sample = some_sample();
  sample.repetitions.assign(kRepetitionsMax,
                            {std::uint64_t{1} << 53, 1'000'000'000, 1'000'000'000, false});
  const std::string text = to_text({0}, std::span(&sample, 1));
  EXPECT_LE(text.size(), kTextBytesMax);
  EXPECT_EQ(cells_from(text, rails_named({"r0"}), kSizeBytesMax).cells[0].repetitions.size(),
            kRepetitionsMax);
  sample.repetitions.push_back({});
  EXPECT_THROW(to_text({0}, std::span(&sample, 1)), Error);
}

// Each of 256 rails alone, beside each other one, and beside all others, and all of them fail.
TEST(Remote, TheReportOf256RailsIsRead) {
  constexpr std::size_t kRails = 256;
  CampaignReport report;
  const auto add = [&](RailGroup group) {
    report.rails.push_back({.group = std::move(group), .failure = std::string(1000, '"')});
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kRails; ++i) {
    names.push_back("interface" + std::to_string(i));
    add({.measured = i});
    RailGroup all{.measured = i};
    for (std::size_t j = 0; j < kRails; ++j) {
      if (j != i) all.busy.push_back(j);
      if (j < i) add({.measured = i, .busy = {j}});
    }
    add(std::move(all));
  }
  const std::string text = to_text(report);
  EXPECT_LE(text.size(), kTextBytesMax);
  EXPECT_EQ(report_from(text, rails_named(names)).rails.size(), report.rails.size());
}

TEST(Remote, StepsBeyondTheBuffersAreRefused) {
  EXPECT_THAT(refusal([] { steps_from(to_text(some_steps()), kSizeBytesMax - 1); }),
              HasSubstr("1048576"));
}

TEST(Remote, TimesOfACompanionAreReadAsTheyWereWritten) {
  const std::vector<Step> steps = some_steps();
  BlockResult result{.elapsed_ns = 12, .interference = {.run_delay_ns = 3, .steal_ns = 4}};
  for (const Step& step : steps) result.totals_ns.emplace_back(step.repetitions, 123456789012);
  const BlockResult read = result_from(to_text(result), steps);
  EXPECT_EQ(read.totals_ns, result.totals_ns);
  EXPECT_EQ(read.elapsed_ns, 12u);
  EXPECT_EQ(read.interference.run_delay_ns, 3u);
  EXPECT_EQ(read.interference.steal_ns, 4u);
}

TEST(Remote, TimesOfOtherStepsThanWereOrderedAreRefused) {
  const std::vector<Step> steps = some_steps();
  BlockResult result;
  for (const Step& step : steps) result.totals_ns.emplace_back(step.repetitions, 5);
  result.totals_ns.front().pop_back();
  EXPECT_THAT(refusal([&] { result_from(to_text(result), steps); }), HasSubstr("repetitions"));
  result.totals_ns.pop_back();
  EXPECT_THAT(refusal([&] { result_from(to_text(BlockResult{}), steps); }), HasSubstr("fewer"));
  result.totals_ns.assign(steps.size() + 1, {5, 5});
  EXPECT_THAT(refusal([&] { result_from(to_text(result), steps); }), HasSubstr("more steps"));
}

TEST(Remote, CellsAreReadAsTheyWereWritten) {
  const nmt::Sample sample = some_sample();
  const auto rails = rails_named({"r0", "r1"});
  const Cells cells = cells_from(to_text({1}, std::span(&sample, 1)), rails, kSizeBytesMax);
  EXPECT_EQ(cells.group, RailGroup{1});
  ASSERT_EQ(cells.cells.size(), 1u);
  EXPECT_EQ(cells.cells.front(), sample);
}

TEST(Remote, BusyRailsAreCalledByTheNamesOfWhoReads) {
  nmt::Sample sample = some_sample();
  sample.condition.busy_rails = "tcp:r0,tcp:r2";
  const std::string text = to_text({1, {0, 2}}, std::span(&sample, 1));
  const auto rails = rails_named({"eth7", "eth1", "eth2"});
  const Cells cells = cells_from(text, rails, kSizeBytesMax);
  EXPECT_EQ(cells.group, (RailGroup{1, {0, 2}}));
  EXPECT_EQ(cells.cells.at(0).condition.busy_rails, "tcp:eth2,tcp:eth7");
}

TEST(Remote, CellsOfARailThatIsNotThereOrBesideItselfAreRefused) {
  const nmt::Sample sample = some_sample();
  const auto rails = rails_named({"r0", "r1"});
  for (const RailGroup& wrong : {RailGroup{2}, RailGroup{0, {2}}, RailGroup{1, {1}}}) {
    const std::string text = to_text(wrong, std::span(&sample, 1));
    EXPECT_THAT(refusal([&] { cells_from(text, rails, kSizeBytesMax); }), HasSubstr("rail"));
  }
}

TEST(Remote, AReportIsReadAsItWasWritten) {
  CampaignReport report{.interrupted = true, .quality = 0.5, .trusted = false, .elapsed_ns = 7};
  report.rails.push_back({.group = {.measured = 1, .busy = {0}},
                          .failure = "cut",
                          .fault = Fault::kPeer,
                          .cells = 3,
                          .drift = -0.1});
  const CampaignReport read = report_from(to_text(report), rails_named({"r0", "r1"}));
  EXPECT_TRUE(read.interrupted);
  EXPECT_FALSE(read.trusted);
  EXPECT_EQ(read.quality, 0.5);
  ASSERT_EQ(read.rails.size(), 1u);
  EXPECT_EQ(read.rails[0].group, report.rails[0].group);
  EXPECT_EQ(read.rails[0].rail, "tcp:r1");
  EXPECT_EQ(read.rails[0].busy_rails, "tcp:r0");
  EXPECT_EQ(read.rails[0].failure, "cut");
  EXPECT_EQ(read.rails[0].fault, Fault::kPeer);
  EXPECT_EQ(read.rails[0].cells, 3u);
  EXPECT_EQ(read.rails[0].drift, -0.1);
  EXPECT_THAT(refusal([&] { report_from(to_text(report), {}); }), HasSubstr("above 0"));
}

// Whatever comes is read, or refused as the peer's fault.
TEST(Remote, DamagedTextIsNeverAnythingElseThanRefused) {
  const nmt::Sample sample = some_sample();
  const std::string steps = to_text(some_steps());
  const std::string cells = to_text({0}, std::span(&sample, 1));
  const auto rails = rails_named({"r0"});
  std::mt19937_64 random(3);
  const auto damaged = [&](std::string text) {
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 4 == 0) {
        text.erase(at, random() % 20);
        if (text.empty()) text = "x";
      } else {
        text[at] = "0123456789-eE.,[]{}\"tfn"[random() % 23];
      }
    }
    return text;
  };
  for (int i = 0; i < 5000; ++i) {
    refusal([&] {
      for (const Step& step : steps_from(damaged(steps), kSizeBytesMax)) {
        ASSERT_LE(step.experiment.size_bytes, kSizeBytesMax);
        ASSERT_LT(step.experiment.traffic, std::size(kTraffics));
      }
    });
    refusal([&] {
      for (const nmt::Sample& each : cells_from(damaged(cells), rails, kSizeBytesMax).cells) {
        ASSERT_LE(each.size_bytes, kSizeBytesMax);
        for (const Repetition& repetition : each.repetitions) ASSERT_GT(repetition.batch, 0u);
      }
    });
  }
}

}  // namespace
}  // namespace nmt::sampler::remote
