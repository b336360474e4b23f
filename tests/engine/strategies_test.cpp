// SPDX-License-Identifier: BSD-3-Clause
//
// What the strategies are worth, on described rails in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/engine/virtual_couple.h"

namespace nmt::engine {
namespace {

constexpr double kBytesPerNs = 0.125;  // 1000 Mbit/s

// Rails as fast as this compared with the first, which carries 1000 Mbit/s.
std::vector<DescribedRail> rails_of(const std::vector<double>& speeds) {
  std::vector<DescribedRail> rails;
  for (const double speed : speeds) {
    const std::string name = "r" + std::to_string(rails.size());
    rails.push_back(straight_rail(name, 20e3, kBytesPerNs * speed, 40e3));
  }
  return rails;
}

double transfer_ns(const std::vector<DescribedRail>& rails, const std::string& strategy,
                   const std::vector<std::size_t>& sizes_bytes) {
  return VirtualCouple(rails, strategy).transfer_ns(sizes_bytes);
}

double single_ns(const std::vector<DescribedRail>& rails, std::size_t rail,
                 std::size_t size_bytes) {
  return transfer_ns(rails, "single:fake:r" + std::to_string(rail), {size_bytes});
}

TEST(Strategies, AdaptiveEndsAsThePublishedSplit) {
  VirtualCouple couple(paper_rails(), "adaptive");
  EXPECT_NEAR(couple.transfer_ns({4194304}), 1999.95e3, 0.005 * 1999.95e3);
  const std::vector<LinkState> links = couple.near().links(0);
  EXPECT_NEAR(static_cast<double>(links[0].bytes_sent), 2438201, 3000);
  EXPECT_EQ(links[0].bytes_sent + links[1].bytes_sent, 4194304u);
}

TEST(Strategies, EqualChunksEndWithTheSlowerRail) {
  EXPECT_NEAR(transfer_ns(paper_rails(), "iso", {4194304}), 2400e3, 0.005 * 2400e3);
}

TEST(Strategies, AdaptiveReachesTheSumOfItsRails) {
  for (const std::vector<double>& speeds : std::vector<std::vector<double>>{
           {1, 0.6}, {1, 1}, {1, 0.5}, {1, 0.25}, {1, 0.125}, {1, 0.6, 0.3}, {1, 1, 0.5, 0.25}}) {
    const std::vector<DescribedRail> rails = rails_of(speeds);
    for (const std::size_t size_bytes : {1 << 20, 4 << 20, 16 << 20}) {
      double sum = 0;
      for (std::size_t i = 0; i < rails.size(); ++i) sum += 1 / single_ns(rails, i, size_bytes);
      EXPECT_GE(1 / transfer_ns(rails, "adaptive", {size_bytes}), 0.98 * sum)
          << rails.size() << " rails, the second at " << speeds[1] << ", " << size_bytes;
    }
  }
}

TEST(Strategies, AdaptiveIsAtNoSizeSlowerThanTheBestRail) {
  for (const double speed : {0.125, 0.6, 1.0}) {
    const std::vector<DescribedRail> rails = rails_of({1, speed});
    for (std::size_t size_bytes = 1; size_bytes <= 4 << 20; size_bytes *= 2) {
      const double best_ns =
          std::min(single_ns(rails, 0, size_bytes), single_ns(rails, 1, size_bytes));
      EXPECT_LE(transfer_ns(rails, "adaptive", {size_bytes}), 1.001 * best_ns) << size_bytes;
    }
  }
}

TEST(Strategies, AdaptiveBeatsEqualChunksByWhatTheRailsDiffer) {
  const std::vector<DescribedRail> rails = rails_of({1, 0.5});
  for (const std::size_t size_bytes : {4 << 20, 16 << 20}) {
    EXPECT_GE(transfer_ns(rails, "iso", {size_bytes}),
              1.45 * transfer_ns(rails, "adaptive", {size_bytes}));
  }
}

TEST(Strategies, TheFixedRatioComesNearWhereAllRailsAreIdle) {
  const std::vector<DescribedRail> rails = rails_of({1, 0.6});
  const double adaptive_ns = transfer_ns(rails, "adaptive", {4 << 20});
  const double strip_ns = transfer_ns(rails, "strip", {4 << 20});
  EXPECT_GE(strip_ns, 0.999 * adaptive_ns);
  EXPECT_LE(strip_ns, 1.01 * adaptive_ns);
}

TEST(Strategies, AdaptiveSendsAnEagerMessageInChunksWhereThatSavesTime) {
  std::vector<DescribedRail> rails = rails_of({1, 1});
  for (DescribedRail& rail : rails) rail.threshold_bytes = 65536;
  constexpr std::size_t kSizeBytes = 32 << 10;
  VirtualCouple couple(rails, "adaptive");
  EXPECT_LE(couple.transfer_ns({kSizeBytes}), 0.6 * single_ns(rails, 0, kSizeBytes));
  const GateState state = couple.near().state(0);
  EXPECT_EQ(state.eager_sends, 1u);
  EXPECT_EQ(state.chunks_sent, 2u);
  for (const LinkState& link : couple.near().links(0)) {
    EXPECT_NEAR(static_cast<double>(link.bytes_sent), kSizeBytes / 2, 64);
  }
  couple.transfer_ns({256});  // the start of a chunk takes longer than these bytes
  EXPECT_EQ(couple.near().state(0).chunks_sent, 2u);
}

double ends_apart(VirtualCouple& couple, std::size_t size_bytes) {
  const GateState before = couple.far().state(0);
  couple.transfer_ns({size_bytes});
  const GateState after = couple.far().state(0);
  return (after.split_apart_ns - before.split_apart_ns) /
         (after.split_duration_ns - before.split_duration_ns);
}

TEST(Strategies, AdaptiveLearnsWhatTheProfileHasWrong) {
  const std::vector<DescribedRail> rails = rails_of({1, 0.6, 0.3});
  const std::vector<DescribedRail> believed = rails_of({0.96, 0.63, 0.3});
  VirtualCouple couple(rails, "adaptive", &believed);
  EXPECT_GE(ends_apart(couple, 8 << 20), 0.05);
  for (int i = 0; i < 40; ++i) couple.transfer_ns({8 << 20});
  EXPECT_LE(ends_apart(couple, 8 << 20), 0.005);
  const GateState before = couple.near().state(0);
  couple.transfer_ns({8 << 20});
  const GateState after = couple.near().state(0);
  EXPECT_GE(after.foreseen_releases - before.foreseen_releases, 3u);
  EXPECT_LE(after.foreseen_error_ns - before.foreseen_error_ns,
            0.01 * (after.foreseen_duration_ns - before.foreseen_duration_ns));
}

TEST(Strategies, AdaptiveKeepsToAProfileThatIsRight) {
  VirtualCouple couple(rails_of({1, 0.6}), "adaptive");
  for (int i = 0; i < 20; ++i) EXPECT_LE(ends_apart(couple, 4 << 20), 0.005);
}

TEST(Strategies, FlowsEndEarlierInTotalThanGreedily) {
  const std::vector<DescribedRail> rails = rails_of({1, 0.6});
  const std::vector<std::size_t> flows = {1 << 20, 65536,  300000, 1 << 20, 100,
                                          100,     700000, 65536,  65536,   2 << 20};
  const double bytes = static_cast<double>(std::accumulate(flows.begin(), flows.end(), 0ul));
  const double adaptive_ns = transfer_ns(rails, "adaptive", flows);
  EXPECT_LE(adaptive_ns, 1.025 * bytes / (1.6 * kBytesPerNs));  // what both rails carry together
  EXPECT_LE(adaptive_ns, 0.86 * transfer_ns(rails, "greedy", flows));
}

TEST(Strategies, ABusyRailTakesPartOnceItIsFree) {
  const std::vector<DescribedRail> rails = rails_of({1, 0.6});
  const double both_ns = transfer_ns(rails, "adaptive", {3 << 20, 1 << 20});
  const double whole_ns = transfer_ns(rails, "adaptive", {4 << 20});
  EXPECT_LE(both_ns, 1.05 * whole_ns);
}

TEST(Strategies, AggregationSendsSixteenSmallOnesAsOne) {
  const std::vector<DescribedRail> rails = rails_of({1});
  const std::vector<std::size_t> sixteen(16, 256);
  EXPECT_LE(2 * transfer_ns(rails, "adaptive", sixteen),
            transfer_ns(rails, "single:fake:r0", sixteen));
  VirtualCouple couple(rails, "aggregate");
  couple.transfer_ns(sixteen);
  EXPECT_EQ(couple.near().links(0)[0].messages_sent, 1u);
  EXPECT_EQ(couple.near().links(0)[0].packets_sent, 16u);
}

// Paper "multi-rail strategies": Myri-10G and Quadrics by their latencies and bandwidths alone.
std::vector<DescribedRail> rails_of_2007() {
  return {straight_rail("r0", 2.8e3, 1.2, 10e3), straight_rail("r1", 1.7e3, 0.85, 10e3)};
}

double segments_ns(const std::vector<DescribedRail>& rails, const std::string& strategy,
                   std::size_t size_bytes, std::size_t segments) {
  return VirtualCouple(rails, strategy).transfer_ns({size_bytes}, segments);
}

// Figures 2 (a) and 3 (a).
TEST(Strategies, SmallSegmentsTogetherCostAsOneAndSinglyAsManyStarts) {
  for (const DescribedRail& rail : rails_of_2007()) {
    const std::string single = "single:fake:" + rail.name;
    for (const std::size_t size_bytes : {64, 512, 2048}) {
      const double one_ns = segments_ns({rail}, single, size_bytes, 1);
      for (const std::size_t segments : {2u, 4u}) {
        EXPECT_NEAR(segments_ns({rail}, "aggregate", size_bytes, segments), one_ns, 0.02 * one_ns);
        const double starts_ns = static_cast<double>(segments - 1) * rail.copy[0].duration_ns;
        EXPECT_GE(segments_ns({rail}, single, size_bytes, segments), one_ns + 0.9 * starts_ns);
      }
    }
  }
}

// Figures 4 (a) and 6.
TEST(Strategies, SmallSegmentsOverTwoRailsGreedilyAreNoFasterThanTogetherOverTheBetterOne) {
  const std::vector<DescribedRail> rails = rails_of_2007();
  for (const std::size_t segments : {2u, 4u}) {
    const double better_ns = segments_ns({rails[1]}, "aggregate", 512, segments);
    EXPECT_GT(segments_ns(rails, "greedy", 512, segments), 1.2 * better_ns);
    for (const char* strategy : {"aggregate", "strip", "adaptive"}) {
      EXPECT_NEAR(segments_ns(rails, strategy, 512, segments), better_ns, 0.01 * better_ns);
    }
  }
}

// Figure 4 (b), 1675 MB/s: twice what the slower rail carries. Figure 7: a ratio gets nearly all.
TEST(Strategies, TwoLargeSegmentsGreedilyGoAsFastAsTheSlowerRailTwice) {
  const std::vector<DescribedRail> rails = rails_of_2007();
  constexpr std::size_t kSizeBytes = 8 << 20;
  const auto bytes_per_ns = [&](const std::string& strategy) {
    return kSizeBytes / segments_ns(rails, strategy, kSizeBytes, 2);
  };
  EXPECT_NEAR(bytes_per_ns("single:fake:r0"), 1.2, 0.01 * 1.2);
  EXPECT_NEAR(bytes_per_ns("greedy"), 1.7, 0.01 * 1.7);
  EXPECT_GE(bytes_per_ns("adaptive"), 0.98 * 2.05);
}

TEST(Strategies, EachWorksWithoutAProfile) {
  for (const char* strategy : {"greedy", "aggregate", "iso", "strip", "adaptive"}) {
    VirtualCouple couple(rails_of({1, 0.6}), strategy, false);
    EXPECT_GT(couple.transfer_ns({1, 1000, 70000, 1 << 20, 0}), 0) << strategy;
  }
}

}  // namespace
}  // namespace nmt::engine
