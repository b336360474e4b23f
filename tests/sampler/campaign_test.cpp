// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <set>

#include "core/statistics.h"
#include "sampler/rail/rail_campaign.h"
#include "tests/sampler/described_rail.h"

namespace nmt::sampler {
namespace {

constexpr const char* kNoise =
    R"({"cv":0.02,"outlier_rate":0.01,"outlier_factor":20,"session_drift":0.08})";

std::set<std::uint64_t> sizes(const std::vector<Sample>& samples, bool held_out) {
  std::set<std::uint64_t> found;
  for (const Sample& sample : samples) {
    if (sample.held_out == held_out && sample.condition.benchmark == benchmark::kTransfer) {
      found.insert(sample.size_bytes);
    }
  }
  return found;
}

TEST(Campaign, MeasuresEveryMethodFromOneByteToTheLargestSizeHotAndCold) {
  const auto driver = described(crossing_rail());
  SampleCollector recorder;
  const CampaignReport report = sample(*driver, {.budget_ns = 20e9}, recorder);
  ASSERT_EQ(report.rails.size(), 1u);
  EXPECT_TRUE(report.rails[0].complete);
  EXPECT_EQ(report.rails[0].failure, "");
  for (const char* regime : {"hot", "cold"}) {
    for (const char* method : {"copy", "iovec", "rendezvous"}) {
      std::set<std::uint64_t> seen;
      for (const Sample& sample : recorder.samples("fake:myri")) {
        const Condition& c = sample.condition;
        if (c.benchmark == "transfer" && c.method == method && c.regime == regime) {
          seen.insert(sample.size_bytes);
        }
      }
      ASSERT_GE(seen.size(), 13u) << method << " " << regime;
      EXPECT_EQ(*seen.begin(), 1u);
      EXPECT_EQ(*seen.rbegin(), std::uint64_t{16} << 20);
    }
  }
}

// The sizes of the first cells that a campaign stores. In 60 s there is time for all landmarks, in
// 30 ms for none that takes 3 ms a message.
TEST(Campaign, MeasuresLandmarksBeforeAllOtherSizes) {
  const auto first_sizes = [](double budget_ns, std::uint64_t size_bytes_max, std::size_t cells) {
    const auto driver = described(crossing_rail());
    SampleCollector recorder;
    sample(
        *driver,
        {.budget_ns = budget_ns, .size_bytes_max = size_bytes_max, .landmarks = Landmarks::kFirst},
        recorder);
    std::vector<Sample> samples = recorder.samples("fake:myri");
    samples.resize(std::min(samples.size(), cells));
    for (const Sample& each : samples) EXPECT_EQ(each.condition.regime, "hot");
    return sizes(samples, false);
  };
  constexpr std::uint64_t kLarge = std::uint64_t{16} << 20;
  constexpr std::size_t kMethods = 3;
  EXPECT_EQ(first_sizes(60e9, kLarge, 4 * kMethods),
            (std::set<std::uint64_t>{1, 65536, 1 << 20, kLarge}));
  EXPECT_EQ(first_sizes(30e6, kLarge, 2 * kMethods), (std::set<std::uint64_t>{1, 65536}));
  EXPECT_EQ(first_sizes(60e9, 8, 2 * kMethods), (std::set<std::uint64_t>{1, 8}));
}

TEST(Campaign, WithoutNoiseEveryRepetitionIsTheDescribedDuration) {
  const auto driver = described(crossing_rail());
  SampleCollector recorder;
  sample(*driver, {.budget_ns = 20e9}, recorder);
  std::size_t checked = 0;
  for (const Sample& sample : recorder.samples("fake:myri")) {
    if (sample.size_bytes != 1024) continue;
    double expected_ns = 0;
    if (sample.condition.benchmark == benchmark::kTransfer) {
      expected_ns = sample.condition.method == "copy"    ? 3800
                    : sample.condition.method == "iovec" ? 3700
                                                         : 9500;
    } else if (sample.condition.benchmark == benchmark::kEager) {
      expected_ns = sample.condition.method == "copy" ? 3900 : 3800;
    } else if (sample.condition.benchmark == benchmark::kMemcpy) {
      expected_ns = 100;
    } else if (sample.condition.benchmark == benchmark::kTwoPackets) {
      expected_ns = sample.condition.method == "copy" ? 7600 : 7400;
    } else {
      continue;
    }
    for (const Repetition& repetition : sample.repetitions) {
      EXPECT_NEAR(repetition.each_ns(), expected_ns, 1) << describe(sample.condition);
    }
    ++checked;
  }
  EXPECT_GE(checked, 10u);
}

TEST(Campaign, IsTheSameForTheSameSeedsAndAnotherForOthers) {
  const auto run = [](std::uint64_t seed) {
    const auto driver = described(crossing_rail(kNoise), seed);
    SampleCollector recorder;
    sample(*driver, {.budget_ns = 5e9, .seed = seed}, recorder);
    return recorder.samples("fake:myri");
  };
  const auto first = run(3);
  EXPECT_EQ(first, run(3));
  EXPECT_NE(first, run(4));
}

TEST(Campaign, StaysWithinItsBudgetOfVirtualTime) {
  for (const double budget_ns : {0.5e9, 2e9, 20e9}) {
    for (const bool verify : {false, true}) {
      const auto driver = described(crossing_rail(kNoise));
      SampleCollector recorder;
      const auto report = sample(*driver, {.budget_ns = budget_ns, .verify = verify}, recorder);
      EXPECT_LE(report.elapsed_ns, 1.1 * budget_ns) << budget_ns << " " << verify;
    }
  }
}

TEST(Campaign, HeldOutSizesAreAtLeastFortyAndNeverUsedForAnythingElse) {
  const auto driver = described(crossing_rail(kNoise));
  SampleCollector recorder;
  sample(*driver, {.budget_ns = 20e9, .verify = true}, recorder);
  const auto samples = recorder.samples("fake:myri");
  const std::set<std::uint64_t> held_out = sizes(samples, true);
  EXPECT_GE(held_out.size(), 40u);
  for (const std::uint64_t size : sizes(samples, false)) EXPECT_FALSE(held_out.contains(size));
}

TEST(Campaign, SizesGatherWhereTheDecisionChanges) {
  const auto driver = described(crossing_rail(kNoise));
  SampleCollector recorder;
  sample(*driver, {.budget_ns = 60e9}, recorder);
  std::size_t near_crossing = 0;
  for (const std::uint64_t size : sizes(recorder.samples("fake:myri"), false)) {
    if (size > 256 && size < 1024) ++near_crossing;
  }
  EXPECT_GE(near_crossing, 1u);
}

TEST(Campaign, OfLandmarksMeasuresTransfersOfTheseSizesAndEndsEarly) {
  const auto driver = described(crossing_rail(kNoise));
  SampleCollector recorder;
  const CampaignReport report =
      sample(*driver, {.budget_ns = 5e9, .landmarks = Landmarks::kOnly}, recorder);
  EXPECT_TRUE(report.rails[0].complete);
  EXPECT_LT(report.elapsed_ns, 0.4 * 5e9);
  std::set<std::uint64_t> found;
  for (const Sample& sample : recorder.samples("fake:myri")) {
    EXPECT_EQ(sample.condition.benchmark, benchmark::kTransfer);
    EXPECT_EQ(sample.condition.regime, "hot");
    found.insert(sample.size_bytes);
  }
  EXPECT_EQ(found, std::set(std::begin(kLandmarksBytes), std::end(kLandmarksBytes)));
  EXPECT_LE(recorder.samples("fake:myri").size(), 4 * std::size(kLandmarksBytes));
}

TEST(Campaign, AResumedOneGoesOnFromWhatIsThere) {
  const auto driver = described(crossing_rail(kNoise));
  SampleCollector first;
  first.blocks_max = 15;
  const auto stopped = sample(*driver, {.budget_ns = 20e9}, first);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_FALSE(stopped.rails[0].complete);
  const auto earlier = first.samples("fake:myri");
  ASSERT_FALSE(earlier.empty());

  SampleCollector second;
  const auto report = sample(*driver, {.budget_ns = 20e9}, second, {{"fake:myri", earlier}});
  EXPECT_TRUE(report.rails[0].complete);
  std::uint32_t last_round = 0;
  std::set<std::uint64_t> all;
  for (const Sample& each : earlier) {
    for (const Repetition& r : each.repetitions) last_round = std::max(last_round, r.round);
    if (each.condition.benchmark == benchmark::kTransfer) all.insert(each.size_bytes);
  }
  for (const Sample& each : second.samples("fake:myri")) {
    for (const Repetition& r : each.repetitions) EXPECT_GT(r.round, last_round);
    if (each.condition.benchmark == benchmark::kTransfer) all.insert(each.size_bytes);
  }
  for (const std::uint64_t size : first_grid(std::uint64_t{16} << 20)) {
    EXPECT_TRUE(all.contains(size)) << size;
  }
}

TEST(Campaign, ARailWithoutIovecOrRendezvousIsSampledByWhatItHas) {
  const auto driver =
      described(R"({"rails":[{"name":"plain","methods":{"copy":[[1,1000],[1048576,900000]]}}]})");
  SampleCollector recorder;
  const auto report = sample(*driver, {.budget_ns = 5e9}, recorder);
  EXPECT_TRUE(report.rails[0].complete);
  for (const Sample& each : recorder.samples("fake:plain")) {
    EXPECT_NE(each.condition.method, "iovec");
    EXPECT_NE(each.condition.method, "rendezvous");
  }
}

TEST(Campaign, ProgressGrowsToTheEnd) {
  const auto driver = described(crossing_rail(kNoise));
  SampleCollector recorder;
  sample(*driver, {.budget_ns = 5e9, .verify = true}, recorder);
  double last = 0;
  for (const Progress& progress : recorder.seen) {
    EXPECT_GE(progress.done, last);
    EXPECT_LE(progress.done, 1);
    EXPECT_GE(progress.left_ns, 0);
    last = progress.done;
  }
  EXPECT_TRUE(std::any_of(recorder.seen.begin(), recorder.seen.end(),
                          [](const Progress& p) { return p.phase == "verifying"; }));
}

// A benchmark of computed numbers on which a neighbour runs for a while.
class Disturbable final : public Benchmark {
 public:
  BlockResult run(std::span<const Step> block) override {
    BlockResult result;
    const bool busy = blocks >= busy_from && blocks < busy_to;
    const double factor = busy ? 3 : 1;
    const double start_ns = now_ns_;
    for (const Step& step : block) {
      auto& totals = result.totals_ns.emplace_back();
      const double each_ns = 1000 + 0.5 * static_cast<double>(step.experiment.size_bytes);
      for (std::uint32_t i = 0; i < step.repetitions; ++i) {
        totals.push_back(static_cast<std::uint64_t>(2 * factor * each_ns * step.batch));
        now_ns_ += static_cast<double>(totals.back());
      }
    }
    time_.advance_to(static_cast<std::uint64_t>(now_ns_));
    result.elapsed_ns = static_cast<std::uint64_t>(now_ns_ - start_ns);
    if (busy && counted) result.interference.run_delay_ns = result.elapsed_ns / 2;
    ++blocks;
    return result;
  }
  const Clock& clock() const override { return time_; }

  int blocks = 0;
  int busy_from = 0;
  int busy_to = 0;
  bool counted = true;  // the neighbour shows in the counters

 private:
  VirtualClock time_;
  double now_ns_ = 0;
};

// Seen by the counters of interference, or by the sentinels alone.
class DisturbedCampaign : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Seen, DisturbedCampaign, testing::Bool(),
                         [](const auto& by) { return by.param ? "BySentinels" : "ByCounters"; });

TEST_P(DisturbedCampaign, DisturbedBlocksAreMarkedRepeatedAndKept) {
  Disturbable benchmark;
  benchmark.counted = !GetParam();
  benchmark.busy_from = 10;
  benchmark.busy_to = 25;
  const MeasurementSpace space{{Method::kCopy, Method::kIovec}, 65536, 65536};
  std::vector<Sample> last;
  std::size_t told_disturbed = 0;
  RailCampaign campaign(benchmark, {}, {.space = space, .real = GetParam()},
                        {.measured =
                             [&](std::span<const Sample> cells) {
                               for (const auto& r : cells[0].repetitions) {
                                 if (r.disturbed) ++told_disturbed;
                               }
                               last.insert(last.end(), cells.begin(), cells.end());
                             },
                         .progress = [](std::string_view) {},
                         .interrupted = [] { return false; }},
                        10e9);
  const RailReport report = campaign.run();
  EXPECT_GT(report.disturbed, 0u);
  EXPECT_GT(told_disturbed, 0u);
  EXPECT_LT(report.disturbed, report.repetitions);
  // What was disturbed does not move a median: each cell's last state is the undisturbed truth.
  std::map<std::pair<Condition, std::uint64_t>, Sample> cells;
  for (const Sample& each : last) cells[{each.condition, each.size_bytes}] = each;
  for (const auto& [key, cell] : cells) {
    const double truth_ns = (1000 + 0.5 * static_cast<double>(cell.size_bytes)) *
                            (cell.condition.benchmark == benchmark::kMemcpy ? 2 : 1);
    EXPECT_NEAR(summarize(cell.repetitions).median_ns / truth_ns, 1, 0.01)
        << describe(cell.condition) << " " << cell.size_bytes;
  }
}

RailReport run_on(Disturbable& benchmark) {
  const MeasurementSpace space{{Method::kCopy, Method::kIovec}, 65536, 65536};
  RailCampaign campaign(benchmark, {}, {.space = space, .real = true},
                        {.measured = [](std::span<const Sample>) {},
                         .progress = [](std::string_view) {},
                         .interrupted = [] { return false; }},
                        10e9);
  return campaign.run();
}

TEST(BusyNeighbour, WhoEndsIsWaitedForAndCostsNoMoreThanABlock) {
  Disturbable benchmark;
  benchmark.busy_from = 20;
  benchmark.busy_to = 60;
  const RailReport report = run_on(benchmark);
  EXPECT_GT(report.waited_ns, 0);
  EXPECT_GT(report.disturbed, 0u);
  EXPECT_LT(report.disturbed, 100u);
  EXPECT_LT(report.quality(), 1);
  EXPECT_EQ(report.untrusted_cells, 0u);
}

TEST(BusyNeighbour, WhoNeverEndsIsWaitedForOnce) {
  Disturbable benchmark;
  benchmark.busy_from = 20;
  benchmark.busy_to = INT_MAX;
  const RailReport report = run_on(benchmark);
  EXPECT_NEAR(report.waited_ns / 10e9, 0.2, 0.05);
  EXPECT_GT(report.disturbed, report.repetitions / 2);
  EXPECT_LE(report.elapsed_ns, 10.5e9);
}

TEST(Journal, IsDisturbedWhenEitherEndWaitedOrTimeWasStolen) {
  node::Interference quiet{.run_delay_ns = 1000, .involuntary_switches = 5};
  EXPECT_FALSE(is_disturbed(quiet, 1'000'000));
  EXPECT_TRUE(is_disturbed({.run_delay_ns = 100'000}, 1'000'000));
  EXPECT_TRUE(is_disturbed({.steal_ns = 100'000}, 1'000'000));
}

}  // namespace
}  // namespace nmt::sampler
