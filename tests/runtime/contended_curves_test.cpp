// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/contended_curves.h"

#include <gtest/gtest.h>

#include "core/method.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::plain_rail;

double duration_ns(const RailPlan& rail, double size_bytes) {
  return rail.find_curve(benchmark::kTransfer, "rendezvous")->duration.at(size_bytes);
}

TEST(Beside, GoesOnAsTheRailAloneByTheFactorOfTheLargestSizeMeasured) {
  const RailPlan alone = plain_rail("a", {{1, 10e3}, {1024, 11e3}, {65536, 4e6}, {1 << 20, 80e6}});
  const RailPlan contended = completed(plain_rail("a", {{1024, 22e3}, {65536, 5e6}}), alone);
  EXPECT_DOUBLE_EQ(duration_ns(contended, 65536), 5e6);
  EXPECT_DOUBLE_EQ(duration_ns(contended, 1 << 20), 80e6 * 5 / 4);
  EXPECT_DOUBLE_EQ(duration_ns(contended, 1), 20e3);
}

TEST(Beside, KeepsWhatWasMeasured) {
  const RailPlan rail = plain_rail("a", {{1, 10e3}, {1024, 11e3}, {65536, 4e6}});
  EXPECT_EQ(completed(rail, rail), rail);
}

TEST(Beside, LeavesAMethodThatWasNotMeasuredAloneAsItIs) {
  RailPlan alone = plain_rail("a", {{1, 10e3}, {1 << 20, 80e6}});
  alone.curves.front().method = "copy";
  const RailPlan contended = plain_rail("a", {{1024, 22e3}});
  EXPECT_EQ(completed(contended, alone), contended);
}

// Two rails that carry as much as alone: small messages were measured, large ones follow.
TEST(Beside, SplitsDoNotFollowALineThroughSmallMessages) {
  const std::vector<Point> fast = {{1, 10e3}, {1024, 11e3}, {65536, 1e6}, {16 << 20, 256e6}};
  const std::vector<Point> slow = {{1, 10e3}, {1024, 11e3}, {65536, 4e6}, {16 << 20, 1024e6}};
  RailPlan fast_beside = plain_rail("fast", {{1, 10e3}, {1024, 11.2e3}});
  RailPlan slow_beside = plain_rail("slow", {{1, 10e3}, {1024, 11.1e3}});
  fast_beside.busy_rails = "slow";
  slow_beside.busy_rails = "fast";
  RailPlan fast_alone = plain_rail("fast", fast), slow_alone = plain_rail("slow", slow);
  fast_beside.path = fast_alone.path;
  slow_beside.path = slow_alone.path;
  const planted::Profile profile(planted::plan({fast_alone, slow_alone, fast_beside, slow_beside}));
  nmt_share shares[2] = {};
  for (nmt_share& share : shares) share.struct_bytes = sizeof share;
  shares[0].path = profile.path("fast");
  shares[1].path = profile.path("slow");
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  ASSERT_EQ(nmt_split(profile.get(), 16 << 20, shares, 2, &result), NMT_OK);
  EXPECT_NEAR(static_cast<double>(shares[1].bytes) / (16 << 20), 0.2, 0.01);
}

}  // namespace
}  // namespace nmt::runtime
