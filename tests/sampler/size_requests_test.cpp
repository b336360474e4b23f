// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/size_requests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace nmt::sampler {
namespace {

const MeasurementSpace kSpace{{Method::kCopy, Method::kIovec, Method::kRendezvous}, 1 << 20, 65536};

// Evidence of two rounds without noise, at `sizes`, of durations that `truth` gives.
Evidence evidence(const std::vector<std::uint64_t>& sizes,
                  const std::function<double(const Experiment&)>& truth) {
  Evidence known(Sample{}, 0.02, {});
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (const std::uint64_t size : sizes) {
      for (const Experiment& experiment : experiments_at(kSpace, Regime::kHot, size)) {
        const auto total_ns = static_cast<std::uint64_t>(truth(experiment) * 1000);
        known.add(experiment, false, std::vector<Repetition>(8, {total_ns, 1000, round, false}), 0);
      }
    }
  }
  known.refresh();
  return known;
}

double linear(const Experiment& experiment) {
  return 1000 + static_cast<double>(experiment.size_bytes) +
         (experiment.method == Method::kCopy ? 0.0 : 500.0);
}

std::vector<std::uint64_t> wished(const Evidence& known,
                                  const std::vector<std::uint64_t>& avoid = {}) {
  std::vector<std::uint64_t> sizes;
  for (const SizeRequest& request : size_requests(known, kSpace, Regime::kHot, 0.02, avoid)) {
    sizes.push_back(request.size_bytes);
  }
  return sizes;
}

TEST(Grid, IsPowersOfFourAndTheLargestSize) {
  EXPECT_EQ(first_grid(100), (std::vector<std::uint64_t>{1, 4, 16, 64, 100}));
  EXPECT_EQ(first_grid(64), (std::vector<std::uint64_t>{1, 4, 16, 64}));
  EXPECT_EQ(first_grid(1), (std::vector<std::uint64_t>{1}));
}

TEST(Grid, AnchorsAreFewOfItAndNotTheLargest) {
  const auto chosen = anchors(std::uint64_t{16} << 20);
  EXPECT_EQ(chosen.size(), 4u);
  EXPECT_LE(chosen.back(), std::uint64_t{1} << 20);
  EXPECT_EQ(anchors(1), (std::vector<std::uint64_t>{1}));
}

TEST(Wishes, NothingIsWantedWhereLinesPredictAndDecisionsAreClear) {
  EXPECT_TRUE(wished(evidence(first_grid(1 << 20), linear)).empty());
}

TEST(Wishes, AJumpDrawsSizesAroundIt) {
  const auto jumping = [](const Experiment& e) {
    return linear(e) * (e.size_bytes > 8192 ? 2.0 : 1.0);
  };
  const auto sizes = wished(evidence(first_grid(1 << 20), jumping));
  ASSERT_FALSE(sizes.empty());
  EXPECT_TRUE(std::any_of(sizes.begin(), sizes.end(),
                          [](std::uint64_t s) { return s > 4096 && s < 16384; }));
  EXPECT_TRUE(std::none_of(sizes.begin(), sizes.end(), [](std::uint64_t s) { return s < 256; }));
}

TEST(Wishes, ACrossingBetweenTwoFarSizesIsBisected) {
  const auto crossing = [](const Experiment& e) {
    const double size = static_cast<double>(e.size_bytes);
    const double slope = e.method == Method::kCopy ? 2.0 : 1.0;
    return (e.method == Method::kCopy ? 1000 : 3000) + slope * size;  // equal at 2000 B
  };
  const auto sizes = wished(evidence(first_grid(1 << 20), crossing));
  EXPECT_TRUE(std::any_of(sizes.begin(), sizes.end(),
                          [](std::uint64_t s) { return s > 1024 && s < 4096; }));
}

TEST(Wishes, HeldOutSizesAreNeverWished) {
  const auto jumping = [](const Experiment& e) {
    return linear(e) * (e.size_bytes > 8192 ? 2.0 : 1.0);
  };
  const Evidence known = evidence(first_grid(1 << 20), jumping);
  const auto without = wished(known);
  ASSERT_FALSE(without.empty());
  for (const std::uint64_t size : wished(known, without)) {
    EXPECT_EQ(std::find(without.begin(), without.end(), size), without.end());
  }
}

TEST(Wishes, CellsSeenInOneRoundOnlyAreWantedAgain) {
  Evidence known(Sample{}, 0.02, {});
  for (const Experiment& experiment : experiments_at(kSpace, Regime::kHot, 64)) {
    known.add(experiment, false, std::vector<Repetition>(8, {1000, 1, 0, false}), 0);
  }
  known.refresh();
  EXPECT_EQ(wished(known), (std::vector<std::uint64_t>{64}));
}

TEST(ClearLoss, IsSeenAtTheSizeItselfAndBetweenTwoSizesThatShowIt) {
  const auto truth = [](const Experiment& e) {
    return e.method == Method::kCopy ? 1000.0 : 1500.0;
  };
  const Evidence known = evidence({64, 256}, truth);
  Experiment experiment = decisions_at(kSpace, Regime::kHot, 64)[1].below[1];
  ASSERT_EQ(experiment.method, Method::kIovec);
  EXPECT_TRUE(clearly_loses(known, experiment));
  experiment.size_bytes = 100;
  EXPECT_TRUE(clearly_loses(known, experiment));
  experiment.size_bytes = 1000;  // beyond what is known
  EXPECT_FALSE(clearly_loses(known, experiment));
  experiment.method = Method::kCopy;
  experiment.size_bytes = 64;
  EXPECT_FALSE(clearly_loses(known, experiment));
}

TEST(Contests, EndWithTheLargestUnexpectedMessage) {
  EXPECT_EQ(decisions_at(kSpace, Regime::kHot, 32768).size(), 3u);
  EXPECT_EQ(decisions_at(kSpace, Regime::kHot, 32769).size(), 2u);  // two of it are not eager
  EXPECT_EQ(decisions_at(kSpace, Regime::kHot, 65537).size(), 1u);  // only copy against iovec
}

}  // namespace
}  // namespace nmt::sampler
