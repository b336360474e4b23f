// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/state_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace nmt::sampler {
namespace {

TEST(StateWatch, TheUsualStateIsTheOneMostBlocksWereIn) {
  StateWatch watch;
  const SentinelTimes usual = {7, 5, 7.1, 5.05};
  const SentinelTimes other = {8.5, 5.5, 8.5, 5.5};
  const SentinelTimes between = {7, 5, 8.5, 5.5};  // changed inside the block
  for (int i = 0; i < 6; ++i) watch.add(usual);
  for (int i = 0; i < 4; ++i) watch.add(other);
  watch.add(between);
  std::vector<bool> expected(11, false);
  std::fill_n(expected.begin(), 6, true);
  EXPECT_EQ(watch.usual(), expected);
  for (int i = 0; i < 4; ++i) watch.add(other);  // now there are more of these
  EXPECT_FALSE(watch.usual().front());
  EXPECT_TRUE(watch.usual().back());
}

TEST(StateWatch, WhatIsUsualRemainsItOnceItIsSettled) {
  StateWatch watch;
  const SentinelTimes usual = {7, 5, 7.1, 5.05}, other = {8.5, 5.5, 8.5, 5.5};
  watch.add(usual);
  watch.settle();  // there is no usual state yet
  for (int i = 0; i < 4; ++i) watch.add(usual);
  watch.settle();
  for (int i = 0; i < 9; ++i) watch.add(other);
  EXPECT_TRUE(watch.usual().front());
  EXPECT_FALSE(watch.usual().back());
}

TEST(StateWatch, DriftWithinAStateIsUsual) {
  StateWatch watch;
  for (int i = 0; i < 20; ++i) {
    const double drift = 0.01 * i - 0.1;
    watch.add({7 + drift, 5 + drift, 7 + drift, 5 + drift});
  }
  EXPECT_EQ(watch.usual(), std::vector<bool>(20, true));
}

}  // namespace
}  // namespace nmt::sampler
