// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/alltoall_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace nmt::sampler {
namespace {

using Shape = std::function<double(int ranks, std::uint64_t size_bytes)>;

std::vector<BoundMultiple> grid(const std::vector<int>& ranks,
                                const std::vector<std::uint64_t>& sizes, const Shape& shape) {
  std::vector<BoundMultiple> all;
  for (const int count : ranks) {
    for (const std::uint64_t size_bytes : sizes) {
      all.push_back({"direct", count, size_bytes, shape(count, size_bytes)});
    }
  }
  return all;
}

const std::vector<std::uint64_t> kSizes = {1024, 4096, 16384, 65536};

NextAlltoall first_of(const std::vector<BoundMultiple>& measured, Open open) {
  const std::vector<NextAlltoall> wanted = least_known(measured, 1, open);
  return wanted.empty() ? NextAlltoall{} : wanted.front();
}

// Of one buffer of a rank.
std::uint64_t buffer_bytes(int ranks) {
  return usual_sizes_bytes(ranks).back() * static_cast<std::uint64_t>(ranks);
}

TEST(AlltoallGrid, StartsWithAllSizesOnFewRanksAndWithThoseThatFitOnMore) {
  EXPECT_EQ(usual_sizes_bytes(64).size(), std::size(kAlltoallSizesBytes));
  EXPECT_EQ(usual_sizes_bytes(65).size(), std::size(kAlltoallSizesBytes) - 1);
  for (const int ranks : {2, 64, 65, 128, 500, 1024}) {
    EXPECT_LE(buffer_bytes(ranks), std::uint64_t{32} << 20) << ranks;
  }
}

// A fit needs sizes at which networks show contention, whatever they take.
TEST(AlltoallGrid, StartsWithSizesUpTo32KibOnAnyNumberOfRanks) {
  for (const int ranks : {1024, 4096, 100000}) {
    EXPECT_EQ(usual_sizes_bytes(ranks).size(), kAlltoallSizesMin) << ranks;
    EXPECT_EQ(usual_sizes_bytes(ranks).back(), std::uint64_t{32} << 10) << ranks;
  }
  EXPECT_EQ(buffer_bytes(4096), std::uint64_t{128} << 20);
}

TEST(AlltoallGrid, WantsNothingWhereAllMultiplesAreAlike) {
  const auto flat = grid({8, 16}, kSizes, [](int, std::uint64_t) { return 1.05; });
  EXPECT_TRUE(least_known(flat, 1, {}).empty());
}

TEST(AlltoallGrid, LooksBelowWhereTheNetworkIsSaturated) {
  const auto saturated = grid({8, 16}, kSizes, [](int, std::uint64_t) { return 4.0; });
  EXPECT_EQ(first_of(saturated, {}), NextAlltoall{.ranks = 4});
}

TEST(AlltoallGrid, LooksBetweenNumbersOfRanksWhereTheMultipleStillRises) {
  const auto rising =
      grid({8, 16}, kSizes, [](int ranks, std::uint64_t) { return ranks == 8 ? 1.02 : 3.0; });
  EXPECT_EQ(first_of(rising, {}), NextAlltoall{.ranks = 11});
}

TEST(AlltoallGrid, LooksWhereAStartUpSetsIn) {
  const auto jumping = grid({2, 4}, kSizes, [](int ranks, std::uint64_t size_bytes) {
    return ranks == 2 || size_bytes < 16384 ? 1.0 : 5.0;
  });
  EXPECT_EQ(first_of(jumping, {.ranks = false}), NextAlltoall{.size_bytes = 8192});
}

TEST(AlltoallGrid, ClosesInOnTheSizeAndEnds) {
  std::vector<std::uint64_t> sizes = kSizes;
  const std::uint64_t start_up_bytes = 10000;
  const auto jumping = [&](int, std::uint64_t size_bytes) {
    return size_bytes < start_up_bytes ? 1.0 : 5.0;
  };
  for (int more = 0; more < 10; ++more) {
    const auto wanted = least_known(grid({2}, sizes, jumping), 1, {.ranks = false});
    if (wanted.empty()) break;
    sizes.push_back(wanted.front().size_bytes);
    std::sort(sizes.begin(), sizes.end());
  }
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), start_up_bytes);
  EXPECT_LT(static_cast<double>(*above) / static_cast<double>(*(above - 1)), 1.5);
  EXPECT_LE(sizes.size(), 7u);
}

TEST(AlltoallGrid, IsNotMisledByChance) {
  auto rising =
      grid({8, 16}, kSizes, [](int ranks, std::uint64_t) { return ranks == 8 ? 1.02 : 1.5; });
  EXPECT_FALSE(least_known(rising, 1, {}).empty());
  for (BoundMultiple& one : rising) one.relative_half_width = 0.3;
  EXPECT_TRUE(least_known(rising, 1, {}).empty());
}

TEST(AlltoallGrid, KeepsNodesWhole) {
  const auto rising = grid({16, 32}, kSizes, [](int ranks, std::uint64_t) { return ranks / 8.0; });
  const auto wanted = least_known(rising, 4, {.sizes = false});
  ASSERT_FALSE(wanted.empty());
  for (const NextAlltoall& one : wanted) {
    EXPECT_EQ(one.ranks % 4, 0);
    EXPECT_EQ(one.size_bytes, 0u);
  }
}

TEST(AlltoallGrid, EndsWhereAllNumbersOfNodesWereMeasured) {
  const auto all =
      grid({3, 4, 5}, kSizes, [](int ranks, std::uint64_t) { return static_cast<double>(ranks); });
  EXPECT_TRUE(least_known(all, 1, {}).empty());
}

}  // namespace
}  // namespace nmt::sampler
