// SPDX-License-Identifier: BSD-3-Clause
#include "node/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "node/sysfs.h"

namespace nmt::node {
namespace {

const std::string kTwoPackages = std::string(NMT_TEST_MACHINES) + "/two-packages";
const std::string kNowhere = std::string(NMT_TEST_MACHINES) + "/nowhere";

TEST(Placement, NamesWhatTwoCoresShare) {
  EXPECT_EQ(placement(0, 0, kTwoPackages), "same-core");
  EXPECT_EQ(placement(0, 4, kTwoPackages), "hardware-threads");
  EXPECT_EQ(placement(0, 1, kTwoPackages), "shared-cache");
  EXPECT_EQ(placement(0, 5, kTwoPackages), "shared-cache");
  EXPECT_EQ(placement(0, 2, kTwoPackages), "other-package");
}

TEST(Placement, IsTheSamePackageWhereTheMachineDoesNotTell) {
  EXPECT_EQ(placement(0, 1, kNowhere), "same-package");
}

TEST(NearestCores, AreDistinctCoresOfOneCache) {
  const CorePair pair = nearest_cores({0, 1, 2, 3, 4, 5, 6, 7}, kTwoPackages);
  EXPECT_EQ(placement(pair.near, pair.far, kTwoPackages), "shared-cache");
}

TEST(NearestCores, PreferAnotherPackageToAnotherThreadOfOneCore) {
  const CorePair pair = nearest_cores({0, 4, 2}, kTwoPackages);
  EXPECT_EQ(placement(pair.near, pair.far, kTwoPackages), "other-package");
}

TEST(NearestCores, NeedNotContainTheFirst) {
  const CorePair pair = nearest_cores({0, 2, 3}, kTwoPackages);
  EXPECT_EQ(pair.near, 2);
  EXPECT_EQ(pair.far, 3);
}

TEST(NearestCores, AreThreadsOfOneCoreWhereThereIsNothingElse) {
  const CorePair pair = nearest_cores({0, 4}, kTwoPackages);
  EXPECT_EQ(pair.near, 0);
  EXPECT_EQ(pair.far, 4);
}

TEST(NearestCores, AreTheSameOneWhereThereIsOnlyOne) {
  const CorePair pair = nearest_cores({3}, kTwoPackages);
  EXPECT_EQ(pair.near, 3);
  EXPECT_EQ(pair.far, 3);
}

TEST(SpreadCores, TakeTheSecondThreadOfACoreLast) {
  EXPECT_EQ(spread_cores({0, 4, 1, 5, 2}, kTwoPackages), (std::vector<int>{0, 1, 2, 4, 5}));
  EXPECT_EQ(spread_cores({4, 1}, kTwoPackages), (std::vector<int>{4, 1}));
  EXPECT_EQ(spread_cores({0, 1, 2}, kNowhere), (std::vector<int>{0, 1, 2}));
}

TEST(PrivateCache, IsTheLargestThatNoOtherCoreShares) {
  EXPECT_EQ(private_cache_bytes(0, kTwoPackages), std::size_t{2} << 20);
}

TEST(PrivateCache, IsOneMebibyteWhereTheMachineDoesNotTell) {
  EXPECT_EQ(private_cache_bytes(0, kNowhere), std::size_t{1} << 20);
}

TEST(AllowedCores, AreInOrderAndFollowTheAffinity) {
  const std::vector<int> before = allowed_cores();
  ASSERT_FALSE(before.empty());
  EXPECT_TRUE(std::is_sorted(before.begin(), before.end()));
  std::thread([&] {
    pin_to(before.back());
    EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
    EXPECT_EQ(::sched_getcpu(), before.back());
  }).join();
  EXPECT_EQ(allowed_cores(), before);
}

TEST(OnCores, EndsWhereTheThreadWasBefore) {
  const std::vector<int> before = allowed_cores();
  std::thread([&] {
    {
      const OnCores one(before.front());
      EXPECT_EQ(allowed_cores(), std::vector<int>{before.front()});
      const OnCores any;  // as a rank that its launcher has bound
      EXPECT_GE(allowed_cores().size(), before.size());
    }
    EXPECT_EQ(allowed_cores(), before);
  }).join();
}

TEST(PinTo, RefusesACoreThatIsNotThere) {
  std::thread([] {
    try {
      pin_to(100000);
      FAIL() << "there is no such core";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kFailed);
    }
  }).join();
}

TEST(ParseList, TakesRangesAndSingleNumbers) {
  EXPECT_EQ(parse_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_list("5"), std::vector<int>{5});
}

TEST(ParseList, IsEmptyForAnythingElse) {
  for (const char* text : {"", "x", "1-", "-1", "1,,2", "0-99999999", "1 2"}) {
    EXPECT_TRUE(parse_list(text).empty()) << text;
  }
}

TEST(ParseCacheSize, KnowsTheKernelsUnits) {
  EXPECT_EQ(parse_cache_size("1024K"), std::size_t{1} << 20);
  EXPECT_EQ(parse_cache_size("32M"), std::size_t{32} << 20);
  EXPECT_EQ(parse_cache_size("512"), 512u);
  EXPECT_EQ(parse_cache_size(""), std::nullopt);
  EXPECT_EQ(parse_cache_size("K"), std::nullopt);
  EXPECT_EQ(parse_cache_size("-1K"), std::nullopt);
}

}  // namespace
}  // namespace nmt::node
