// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace nmt::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kCells = 20;  // of each of two rails

// Launches of two rails: each launch of a rail differs by 4 %, each cell in it by 1 %.
class History {
 public:
  explicit History(std::uint64_t seed = 1) : random_(seed) {
    for (std::size_t cell = 0; cell < 2 * kCells; ++cell) rails_.push_back(cell / kCells);
  }
  void change(std::size_t cell, double ratio) { changed_[cell] = ratio; }
  // Every so manieth launch before, and all after, are slower as a whole.
  void slow_launches(std::size_t each, double ratio) {
    slow_each_ = each;
    slow_ratio_ = ratio;
  }

  Changes find(std::size_t before, std::size_t after) {
    std::vector<LaunchTime> times;
    for (std::size_t i = 0; i < before; ++i) launch(false, i, &times);
    for (std::size_t i = 0; i < after; ++i) launch(true, i, &times);
    return find_changes(rails_, times);
  }

 private:
  void launch(bool after, std::size_t number, std::vector<LaunchTime>* times) {
    std::normal_distribution<double> of_launch(0, 0.04), of_cell(0, 0.01);
    for (std::size_t rail = 0; rail < 2; ++rail) {
      double shared = of_launch(random_);
      if (slow_each_ > 0 && (after || number % slow_each_ == 0)) shared += std::log(slow_ratio_);
      for (std::size_t i = 0; i < kCells; ++i) {
        const std::size_t cell = rail * kCells + i;
        double log = std::log(1e3 * static_cast<double>(i + 1)) + shared + of_cell(random_);
        if (after && changed_.contains(cell)) log += std::log(changed_[cell]);
        times->push_back({cell, after, number, std::exp(log)});
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::size_t> rails_;
  std::map<std::size_t, double> changed_;
  std::size_t slow_each_ = 0;  // none
  double slow_ratio_ = 1;
};

std::vector<std::size_t> beyond_noise(const Changes& changes) {
  std::vector<std::size_t> cells;
  for (const Change& each : changes.cells) {
    if (each.beyond_noise) cells.push_back(each.cell);
  }
  return cells;
}

TEST(Changes, OfAMachineThatDidNotChangeAreNone) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    if (!beyond_noise(History(seed).find(7, 7)).empty()) ++alarms;
  }
  EXPECT_LE(alarms, 1);
}

TEST(Changes, OfOneCellAreFoundUnderTheNoiseOfLaunches) {
  History history;
  history.change(7, 1.06);
  const Changes changes = history.find(8, 8);
  EXPECT_THAT(beyond_noise(changes), ElementsAre(7));
  EXPECT_NEAR(changes.cells[7].ratio, 1.06, 0.02);
  EXPECT_LE(changes.cells[7].interval.low, 1.06);
  EXPECT_GE(changes.cells[7].interval.high, 1.06);
}

TEST(Changes, OfAWholeRailAreItsCells) {
  History history;
  for (std::size_t cell = kCells; cell < 2 * kCells; ++cell) history.change(cell, 1.3);
  const std::vector<std::size_t> found = beyond_noise(history.find(8, 8));
  EXPECT_GE(found.size(), kCells - 2);
  for (const std::size_t cell : found) EXPECT_GE(cell, kCells);
}

TEST(Changes, OfHalfOfTheCellsOfARailAreNotSharedWithTheOtherHalf) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    History history(seed);
    for (std::size_t cell = 0; cell < kCells / 2; ++cell) history.change(cell, 1.2);
    const Changes changes = history.find(7, 7);
    for (const std::size_t cell : beyond_noise(changes)) EXPECT_LT(cell, kCells / 2);
    for (std::size_t cell = 0; cell < kCells / 2; ++cell) {
      EXPECT_TRUE(changes.cells[cell].beyond_noise) << seed << " " << cell;
      EXPECT_NEAR(changes.cells[cell].ratio, 1.2, 0.04) << seed << " " << cell;
    }
  }
}

TEST(Changes, ToFasterAreToldFromSlower) {
  History history;
  history.change(3, 0.9);
  const Changes changes = history.find(6, 6);
  EXPECT_THAT(beyond_noise(changes), ElementsAre(3));
  EXPECT_LT(changes.cells[3].interval.high, 1);
}

TEST(Changes, OfFewLaunchesCannotBeSaid) {
  History history;
  history.change(7, 2);
  for (const auto& [before, after] : {std::pair(1, 1), {4, 4}, {20, 0}, {0, 20}, {10, 1}}) {
    const Changes changes = history.find(before, after);
    EXPECT_EQ(changes.evidence, Evidence::kTooFewLaunches) << before << " " << after;
    EXPECT_THAT(beyond_noise(changes), IsEmpty());
  }
}

TEST(Changes, CanBeSaidOfFiveLaunchesASideOrOfFewerAgainstMany) {
  EXPECT_TRUE(are_enough(5, 5));
  EXPECT_TRUE(are_enough(10, 3));
  EXPECT_TRUE(are_enough(21, 2));
  EXPECT_FALSE(are_enough(20, 2));
  EXPECT_TRUE(are_enough(250, 1));
  EXPECT_FALSE(are_enough(248, 1));
  EXPECT_FALSE(are_enough(4, 5));
}

// The prior is all launches of the older side.
TEST(Changes, OfTwoLaunchesAreFoundAgainstManyAndOfTheSameTwoAgainstFewNot) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    History history(seed), short_history(seed);
    history.change(7, 1.3);
    short_history.change(7, 1.3);
    EXPECT_THAT(beyond_noise(history.find(22, 2)), ElementsAre(7)) << seed;
    EXPECT_EQ(short_history.find(11, 2).evidence, Evidence::kTooFewLaunches) << seed;
  }
}

// Launches come in two modes. The two new ones are both of the slow one, as a third of the old are.
TEST(Changes, ToAModeThatThePastHasToAreNone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    History history(seed);
    history.slow_launches(3, 1.33);
    EXPECT_THAT(beyond_noise(history.find(22, 2)), IsEmpty()) << seed;
  }
}

TEST(Changes, AreTheSameForTheSameLaunches) {
  History first(3), second(3);
  const Changes a = first.find(12, 12), b = second.find(12, 12);
  ASSERT_EQ(a.cells.size(), b.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) EXPECT_EQ(a.cells[i].chance, b.cells[i].chance);
}

TEST(Changes, IgnoreCellsThatOneSideDidNotMeasure) {
  const std::vector<std::size_t> rails = {0, 0};
  std::vector<LaunchTime> times;
  for (std::size_t i = 0; i < 6; ++i) {
    times.push_back({0, false, i, 100.0 + static_cast<double>(i)});
    times.push_back({0, true, i, 200.0 + static_cast<double>(i)});
    times.push_back({1, false, i, 100});
  }
  const Changes changes = find_changes(rails, times);
  ASSERT_EQ(changes.cells.size(), 1u);
  EXPECT_TRUE(changes.cells[0].beyond_noise);
}

// Enough launches, each with cells of its own.
TEST(Changes, OfLaunchesWithoutACommonCellCannotBeSaid) {
  std::vector<std::size_t> rails;
  std::vector<LaunchTime> times;
  for (std::size_t launch = 0; launch < 6; ++launch) {
    for (const bool after : {false, true}) {
      times.push_back({rails.size(), after, launch, 100});
      rails.push_back(0);
    }
  }
  EXPECT_EQ(find_changes(rails, times).evidence, Evidence::kTooFewOfEachCell);
}

}  // namespace
}  // namespace nmt::cluster
