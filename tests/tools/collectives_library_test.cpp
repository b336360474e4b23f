// SPDX-License-Identifier: BSD-3-Clause
//
// How campaigns and benchmarks call the collectives of libnmadtune-mpi.so: of a library that
// records the calls instead.
#include "tools/command/collectives_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace nmt::tools {
namespace {

class RecordedCollectives : public ::testing::Test {
 protected:
  RecordedCollectives() {
    table_.start = reinterpret_cast<void (*)()>(::dlsym(module_, "recording_start"));
    table_.start();
  }

  // Of so many calls, in their order.
  std::vector<std::int32_t> roots_of_calls(const CollectivesLibrary& library, int calls) const {
    const auto run = library.collective_runner();
    table_.start();  // forgets those before
    for (int i = 0; i < calls; ++i) run({"bcast", "chain", 0, 1}, 8, nullptr, nullptr);
    std::array<std::int32_t, 4096> roots{};
    const auto recorded =
        reinterpret_cast<int (*)(std::int32_t*)>(::dlsym(module_, "recorded_roots"));
    return {roots.begin(), roots.begin() + recorded(roots.data())};
  }

  void* const module_ = ::dlopen(NMT_RECORDING_COLLECTIVES, RTLD_NOW | RTLD_LOCAL);
  nmt_mpi_table table_{};
};

// Some roots take longer than others; a median over all of them stands for all.
TEST_F(RecordedCollectives, OfACampaignHaveEachRankAsTheirRootEquallyOften) {
  const control::MpiJob job(table_);
  CollectivesLibrary library(job);
  library.play_within(std::array{0, 3, 4, 7, 9});
  const std::vector<std::int32_t> roots = roots_of_calls(library, 1000);
  ASSERT_EQ(roots.size(), 1000u);
  for (std::int32_t rank = 0; rank < 5; ++rank) {  // numbered within these ranks
    EXPECT_NEAR(static_cast<double>(std::ranges::count(roots, rank)), 200, 60) << rank;
  }
}

// Each rank draws for itself.
TEST_F(RecordedCollectives, HaveTheSameRootsOnAllRanks) {
  const control::MpiJob job(table_);
  CollectivesLibrary one(job), other(job);
  one.play_within(std::array{0, 1, 2, 3});
  other.play_within(std::array{0, 1, 2, 3});
  EXPECT_EQ(roots_of_calls(one, 100), roots_of_calls(other, 100));
}

TEST_F(RecordedCollectives, OfAllRanksHaveRankZeroAsTheirRoot) {
  const control::MpiJob job(table_);
  const CollectivesLibrary library(job);
  EXPECT_THAT(roots_of_calls(library, 20), ::testing::Each(0));
}

}  // namespace
}  // namespace nmt::tools
