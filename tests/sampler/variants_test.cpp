// SPDX-License-Identifier: BSD-3-Clause
//
// Methods that a rail can carry out in several ways.
#include <gtest/gtest.h>

#include <algorithm>

#include "sampler/rail/evidence.h"
#include "sampler/rail/measurement_space.h"

namespace nmt::sampler {
namespace {

const MeasurementSpace kSpace{.methods = {Method::kCopy, Method::kRendezvous},
                              .size_bytes_max = 65536,
                              .max_unexpected_bytes = 65536,
                              .variants = {{Method::kRendezvous, {"rdma_read", "rdma_write"}}}};

TEST(Variants, AreMeasuredSideBySide) {
  const auto all = experiments_at(kSpace, Regime::kHot, 1024);
  const auto count = [&](Method method, std::uint8_t variant) {
    return std::ranges::count_if(all, [&](const Experiment& experiment) {
      return kTraffics[experiment.traffic].benchmark == benchmark::kTransfer &&
             experiment.method == method && experiment.variant == variant;
    });
  };
  EXPECT_EQ(count(Method::kCopy, 0), 1);
  EXPECT_EQ(count(Method::kRendezvous, 0), 1);
  EXPECT_EQ(count(Method::kRendezvous, 1), 1);
}

TEST(Variants, CompeteForTheSameSideOfADecision) {
  for (const DecisionSides& sides : decisions_at(kSpace, Regime::kHot, 1024)) {
    if (sides.kind != DecisionKind::kRendezvous) continue;
    EXPECT_EQ(sides.above.size(), 2u);
  }
}

TEST(Variants, AreStoredByNameAndFoundAgain) {
  Experiment experiment = experiments_at(kSpace, Regime::kHot, 1024)[2];
  ASSERT_EQ(experiment.variant, 1);
  Evidence evidence(Sample{}, 0.02, {}, {}, kSpace.variants);
  const Sample sample = evidence.add(experiment, false, {{.total_ns = 5000, .batch = 2}}, 0);
  EXPECT_EQ(sample.condition.method, "rendezvous");
  EXPECT_EQ(sample.condition.variant, "rdma_write");
  Evidence later(Sample{}, 0.02, {sample}, {}, kSpace.variants);
  EXPECT_NE(later.find(experiment), nullptr);
  experiment.variant = 0;
  EXPECT_EQ(later.find(experiment), nullptr);
}

}  // namespace
}  // namespace nmt::sampler
