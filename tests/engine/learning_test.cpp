// SPDX-License-Identifier: BSD-3-Clause
//
// What the engine makes of a profile that is wrong, on described rails in virtual time: after ten
// messages it loses no more than 2 % to the best fixed strategy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/engine/virtual_couple.h"

namespace nmt::engine {
namespace {

constexpr double kBytesPerNs = 0.125;  // 1000 Mbit/s
constexpr int kLearned = 10;           // messages

struct Speed {
  double latency_ns = 20e3;
  double bandwidth = 1;  // of 1000 Mbit/s
};

std::vector<DescribedRail> rails_of(const std::vector<Speed>& speeds) {
  std::vector<DescribedRail> rails;
  for (const Speed& speed : speeds) {
    rails.push_back(straight_rail("r" + std::to_string(rails.size()), speed.latency_ns,
                                  kBytesPerNs * speed.bandwidth, 2 * speed.latency_ns));
  }
  return rails;
}

double best_fixed_ns(const std::vector<DescribedRail>& rails, std::size_t size_bytes) {
  std::vector<std::string> strategies = {"iso", "strip"};
  for (const DescribedRail& rail : rails) strategies.push_back("single:fake:" + rail.name);
  double best_ns = INFINITY;
  for (const std::string& strategy : strategies) {
    VirtualCouple couple(rails, strategy);  // by the true profile
    for (int i = 0; i < kLearned; ++i) couple.transfer_ns({size_bytes});
    best_ns = std::min(best_ns, couple.transfer_ns({size_bytes}));
  }
  return best_ns;
}

// The mean of some messages, after those from which the engine may learn.
double learned_ns(VirtualCouple& couple, std::size_t size_bytes) {
  constexpr int kMessages = 20;
  for (int i = 0; i < kLearned; ++i) couple.transfer_ns({size_bytes});
  double total_ns = 0;
  for (int i = 0; i < kMessages; ++i) total_ns += couple.transfer_ns({size_bytes});
  return total_ns / kMessages;
}

// Missed at about 1 KiB, where a split that the profile promises costs up to 4 % (docs/engine.md).
TEST(Learning, AProfileThatIsAThirdWrongCostsNothingAfterTenMessages) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> wrong(0.7, 1.3);
  for (const double second : {1.0, 0.6, 0.25}) {
    const std::vector<Speed> speeds = {{20e3, 1}, {24e3, second}};
    const std::vector<DescribedRail> rails = rails_of(speeds);
    for (const std::size_t size_bytes : {8, 1024, 16 << 10, 64 << 10, 256 << 10, 1 << 20}) {
      const double best_ns = best_fixed_ns(rails, size_bytes);
      const double allowed = size_bytes == 1024 ? 1.05 : 1.02;
      for (int trial = 0; trial < 4; ++trial) {
        std::vector<Speed> wrong_speeds = speeds;
        for (Speed& speed : wrong_speeds) {
          speed = {speed.latency_ns * wrong(random), speed.bandwidth * wrong(random)};
        }
        const std::vector<DescribedRail> believed = rails_of(wrong_speeds);
        VirtualCouple couple(rails, "adaptive", &believed);
        EXPECT_LE(learned_ns(couple, size_bytes), allowed * best_ns)
            << "trial " << trial << ", second rail " << second << ", " << size_bytes << " B";
      }
    }
  }
}

TEST(Learning, ASmallMessageStaysOnTheRailThatTransfersShowToBeBest) {
  const std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {26e3, 1}});
  const std::vector<DescribedRail> believed = rails_of({{26e3, 1}, {20e3, 1}});
  VirtualCouple couple(rails, "adaptive", &believed);
  for (int i = 0; i < kLearned; ++i) couple.transfer_ns({64});
  const std::uint64_t before = couple.near().links(0)[1].packets_sent;
  for (int i = 0; i < 200; ++i) couple.transfer_ns({64, 64, 64});
  // But the other one may be tried again, after 64 messages and after 128 more.
  EXPECT_LE(couple.near().links(0)[1].packets_sent, before + 2 * 3);
}

TEST(Learning, AFirstMessageThatIsLateDoesNotCostTheRail) {
  std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {26e3, 1}});
  const std::vector<DescribedRail> believed = rails;
  rails[0].change_to_ns = 10e3;
  rails[0].change_factor = 400;
  VirtualCouple couple(rails, "adaptive", &believed);
  EXPECT_GE(couple.transfer_ns({64}), 1e6);
  EXPECT_LE(learned_ns(couple, 64), 1.02 * best_fixed_ns(believed, 64));
}

TEST(Learning, ARailThatWasSlowForAWhileGetsSmallMessagesAgain) {
  std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {26e3, 1}});
  const std::vector<DescribedRail> believed = rails;
  rails[0].change_to_ns = 1e6;
  rails[0].change_factor = 4;
  VirtualCouple couple(rails, "adaptive", &believed);
  for (int i = 0; i < 120; ++i) couple.transfer_ns({64});
  EXPECT_LE(learned_ns(couple, 64), 1.02 * best_fixed_ns(believed, 64));
}

// Chunks are slow only until the engine has noticed, and sends whole messages.
TEST(Learning, ChunksThatWereSlowForAWhileAreTriedAgain) {
  constexpr std::size_t kSizeBytes = 4 << 20;
  std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {20e3, 0.125}});
  const std::vector<DescribedRail> believed = rails;
  VirtualCouple right(rails, "adaptive");
  for (int i = 0; i < kLearned; ++i) right.transfer_ns({kSizeBytes});
  rails[0].change_from_ns = right.now_ns();
  rails[0].change_factor = 1.5;
  VirtualCouple disturbed(rails, "adaptive", &believed);
  for (int i = 0; i < kLearned; ++i) disturbed.transfer_ns({kSizeBytes});
  int slow = 0;
  for (bool is_whole = false; !is_whole; ++slow) {
    ASSERT_LT(slow, 20);
    rails[0].change_to_ns = disturbed.now_ns() - 1;
    const std::uint64_t before = disturbed.near().links(0)[1].bytes_sent;
    disturbed.transfer_ns({kSizeBytes});
    is_whole = disturbed.near().links(0)[1].bytes_sent - before < kSizeBytes / 20;
  }
  VirtualCouple couple(rails, "adaptive", &believed);
  for (int i = 0; i < kLearned + slow + 90; ++i) couple.transfer_ns({kSizeBytes});
  EXPECT_LE(couple.transfer_ns({kSizeBytes}), 1.02 * right.transfer_ns({kSizeBytes}));
}

TEST(Learning, ARailThatFallsToHalfIsSplitForWithinTwentyMessages) {
  for (const std::size_t size_bytes : {256 << 10, 1 << 20, 16 << 20}) {
    std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {20e3, 1}});
    const std::vector<DescribedRail> believed = rails;
    VirtualCouple whole(rails, "adaptive");
    for (int i = 0; i < 30; ++i) whole.transfer_ns({size_bytes});
    rails[0].change_from_ns = whole.now_ns();
    rails[0].change_factor = 2;
    VirtualCouple couple(rails, "adaptive", &believed);
    for (int i = 0; i < 30; ++i) couple.transfer_ns({size_bytes});
    for (int i = 0; i < 20; ++i) couple.transfer_ns({size_bytes});
    const std::vector<DescribedRail> fallen = rails_of({{40e3, 0.5}, {20e3, 1}});
    VirtualCouple optimal(fallen, "adaptive");
    for (int i = 0; i < kLearned; ++i) optimal.transfer_ns({size_bytes});
    EXPECT_LE(couple.transfer_ns({size_bytes}), 1.05 * optimal.transfer_ns({size_bytes}))
        << size_bytes;
  }
}

// The curves are not asked for every message.
TEST(Learning, AnEagerMessageGoesInChunksOnceTransfersShowThatThisPays) {
  const std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {20e3, 1}});
  const std::vector<DescribedRail> believed = rails_of({{20e3, 8}, {20e3, 1}});
  VirtualCouple couple(rails, "adaptive", &believed);
  couple.transfer_ns({16 << 10});
  EXPECT_EQ(couple.near().state(0).chunks_sent, 0u);
  for (int i = 0; i < 40; ++i) couple.transfer_ns({16 << 10});
  EXPECT_GT(couple.near().state(0).chunks_sent, 0u);
}

// A rail that carries its first bytes four times as fast, as one behind a shaper does.
DescribedRail rail_with_cliff(const std::string& name, double bandwidth, double cliff_bytes) {
  const double bytes_per_ns = kBytesPerNs * bandwidth;
  const double cliff_ns = 5e3 + cliff_bytes / (4 * bytes_per_ns);
  const std::vector<Point> curve = {
      {1, 5e3},
      {cliff_bytes, cliff_ns},
      {16 << 20, cliff_ns + ((16 << 20) - cliff_bytes) / bytes_per_ns}};
  return {.name = name, .copy = curve, .rendezvous = curve};
}

// Paces then change with the chunks, and chunks with the paces. Sixty draws of where the cliffs
// are and where the profile has them.
TEST(Learning, OfRailsWithCliffsStaysNearTheBestFixedStrategy) {
  constexpr int kDraws = 60, kMessages = 30;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> cliff_bytes(4e3, 48e3);
  const auto draw = [&] {
    std::vector<DescribedRail> rails;
    for (const double bandwidth : {1.0, 0.6, 0.3}) {
      const std::string name = "r" + std::to_string(rails.size());
      rails.push_back(rail_with_cliff(name, bandwidth, cliff_bytes(random)));
    }
    return rails;
  };
  int near = 0, all = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<DescribedRail> rails = draw(), believed = draw();
    for (const std::size_t size_bytes : {64 << 10, 96 << 10, 256 << 10}) {
      const double best_ns = best_fixed_ns(rails, size_bytes);
      VirtualCouple couple(rails, "adaptive", &believed);
      for (int k = 0; k < kLearned; ++k) couple.transfer_ns({size_bytes});
      double mean_ns = 0;
      for (int k = 0; k < kMessages; ++k) mean_ns += couple.transfer_ns({size_bytes}) / kMessages;
      EXPECT_LE(mean_ns, 1.15 * best_ns) << "draw " << i << ", " << size_bytes;
      near += mean_ns <= 1.02 * best_ns ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GE(near, all * 95 / 100);
}

TEST(Learning, OutlivesOneTransferAndOneSize) {
  const std::vector<DescribedRail> rails = rails_of({{20e3, 1}, {20e3, 0.6}});
  const std::vector<DescribedRail> believed = rails_of({{20e3, 0.7}, {20e3, 0.78}});
  VirtualCouple couple(rails, "adaptive", &believed), right(rails, "adaptive");
  for (int i = 0; i < kLearned; ++i) couple.transfer_ns({1 << 20}), right.transfer_ns({1 << 20});
  EXPECT_LE(couple.transfer_ns({16 << 20}), 1.02 * right.transfer_ns({16 << 20}));
  couple.transfer_ns({1, 100000, 50});
  EXPECT_LE(couple.transfer_ns({1 << 20}), 1.02 * right.transfer_ns({1 << 20}));
}

}  // namespace
}  // namespace nmt::engine
