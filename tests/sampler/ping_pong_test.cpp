// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/ping_pong.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "sampler/rail/measurement_space.h"
#include "sampler/rail/partner.h"
#include "tests/sampler/described_rail.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kSizeMax = 1 << 20;

TEST(Buffers, HotIsAlwaysTheSamePlaceColdIsAlwaysTheNext) {
  Buffers buffers(kSizeMax, 65536);
  buffers.advance(Regime::kHot, 100);
  const std::byte* hot = buffers.source().data();
  buffers.advance(Regime::kHot, 100);
  EXPECT_EQ(buffers.source().data(), hot);
  buffers.advance(Regime::kCold, 100);
  const std::byte* first = buffers.source().data();
  buffers.advance(Regime::kCold, 100);
  EXPECT_GE(buffers.source().data(), first + 100);
  EXPECT_EQ(buffers.source().size(), 100u);
}

TEST(Buffers, ColdComesRoundAfterMoreThanThePrivateCache) {
  constexpr std::size_t kCache = 65536;
  Buffers buffers(4096, kCache);
  buffers.advance(Regime::kCold, 4096);
  const std::byte* first = buffers.source().data();
  std::size_t passed_bytes = 0;
  do {
    buffers.advance(Regime::kCold, 4096);
    passed_bytes += 4096;
  } while (buffers.source().data() != first);
  EXPECT_GT(passed_bytes, 2 * kCache);
}

TEST(PingPong, TimesHalfARoundTripOfEveryExperimentInVirtualTime) {
  const auto driver = described(crossing_rail());
  const Rail rail = driver->detect().rails[0];
  const RailToSample rails[] = {{driver.get(), rail}};
  const Buffers buffers = Buffers::described(kSizeMax);
  const auto partner = in_process_partner({}, rails, buffers);
  PingPong ping_pong(*partner, buffers, nullptr);
  const MeasurementSpace space{driver->methods(rail), kSizeMax, 65536};
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}}) {
    std::vector<Step> steps;
    for (const Experiment& e : experiments_at(space, Regime::kHot, size)) {
      steps.push_back({e, 1, 2, 3});
    }
    const BlockResult result = ping_pong.run(steps);
    ASSERT_EQ(result.totals_ns.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_EQ(result.totals_ns[i].size(), 2u);
      EXPECT_NEAR(static_cast<double>(result.totals_ns[i][0]),
                  static_cast<double>(result.totals_ns[i][1]), 2);
    }
    EXPECT_EQ(steps[0].experiment.method, Method::kCopy);
    if (size == 4096) {
      EXPECT_EQ(result.totals_ns[0][0], 2u * 3u * 6000u);
    }
  }
}

// Real rails, between this process and a forked one.
class ForkedPingPong : public testing::TestWithParam<std::string> {};

TEST_P(ForkedPingPong, MeasuresEveryExperimentAndSurvivesTheLossOfItsPartner) {
  auto drivers = drivers::make_drivers();
  const RealClock clock;
  const Buffers buffers(kSizeMax, 65536);
  const node::CorePair cores = node::nearest_cores();
  for (const auto& driver : drivers) {
    for (const Rail& rail : driver->detect().rails) {
      if (rail.full_name() != GetParam()) continue;
      const RailToSample rails[] = {{driver.get(), rail}};
      const auto partner = fork_partner({}, rails, buffers, cores, clock);
      PingPong ping_pong(*partner, buffers, nullptr);
      const MeasurementSpace space{driver->methods(rail), kSizeMax, 65536};
      for (const std::uint64_t size :
           {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{65536}, std::uint64_t{kSizeMax}}) {
        std::vector<Step> steps;
        for (const Regime regime : {Regime::kHot, Regime::kCold}) {
          for (const Experiment& e : experiments_at(space, regime, size)) {
            steps.push_back({e, 1, 3, 2});
          }
        }
        for (const auto& totals_ns : ping_pong.run(steps).totals_ns) {
          EXPECT_EQ(totals_ns.size(), 3u);
          for (const std::uint64_t total_ns : totals_ns) EXPECT_GT(total_ns, 0u);
        }
      }
      return;
    }
  }
  GTEST_SKIP() << GetParam() << " is not usable on this machine";
}

INSTANTIATE_TEST_SUITE_P(Rails, ForkedPingPong, testing::Values("shm", "tcp:lo"),
                         [](const auto& rail) { return rail.param == "shm" ? "Shm" : "TcpLo"; });

}  // namespace
}  // namespace nmt::sampler
