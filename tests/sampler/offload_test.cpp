// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/offload.h"

#include <gtest/gtest.h>

#include <set>

#include "core/method.h"
#include "core/statistics.h"
#include "node/node.h"

namespace nmt::sampler {
namespace {

class Offload : public testing::Test {
 protected:
  void SetUp() override {
    if (node::allowed_cores().size() < 2) GTEST_SKIP() << "there is no other core to hand work to";
  }
  RealClock clock_;
};

TEST_F(Offload, IsMeasuredForEveryPlacementIdleSpinningAndPreempting) {
  std::set<std::string> placements;
  const int own = node::nearest_cores().near;
  for (const int core : node::allowed_cores()) {
    if (core != own) placements.insert(node::placement(own, core));
  }
  const std::vector<Sample> samples = sample_offload(clock_, 50e6);
  std::set<std::pair<std::string, std::string>> measured;
  for (const Sample& sample : samples) {
    EXPECT_EQ(sample.condition.benchmark, benchmark::kOffload);
    measured.insert({sample.condition.placement, sample.condition.variant});
  }
  EXPECT_EQ(measured.size(), samples.size());
  EXPECT_EQ(samples.size(), 3 * placements.size());
  for (const std::string& placement : placements) {
    EXPECT_TRUE(measured.contains({placement, std::string(offload::kIdle)}));
    EXPECT_TRUE(measured.contains({placement, std::string(offload::kSpinning)}));
    EXPECT_TRUE(measured.contains({placement, std::string(offload::kPreempting)}));
  }
}

TEST_F(Offload, IsPositiveWithLimitsAroundItHoweverSmallTheBudget) {
  for (const Sample& sample : sample_offload(clock_, 1)) {
    const Summary summary = summarize(sample.repetitions);
    EXPECT_GE(summary.n, 8u);
    EXPECT_GT(summary.median_ns, 0);
    EXPECT_LT(summary.median_ns, 1e9);
    EXPECT_LE(summary.low_ns, summary.median_ns);
    EXPECT_GE(summary.high_ns, summary.median_ns);
  }
}

TEST_F(Offload, LeavesThisThreadOnTheCoresItHad) {
  const std::vector<int> before = node::allowed_cores();
  sample_offload(clock_, 1);
  EXPECT_EQ(node::allowed_cores(), before);
}

}  // namespace
}  // namespace nmt::sampler
