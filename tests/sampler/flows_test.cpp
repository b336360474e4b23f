// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/flows.h"

#include <gtest/gtest.h>

#include <set>

namespace nmt::sampler {
namespace {

TEST(Flows, OfAllShiftsHaveEachPairOfNodesOnceAndNoNodeTwiceInARound) {
  const std::vector<std::int32_t> order = {3, 0, 4, 1, 2};
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t shift = 1; shift < order.size(); ++shift) {
    const std::vector<std::int32_t> receivers = shifted(order, shift);
    EXPECT_EQ(std::set(receivers.begin(), receivers.end()).size(), order.size());
    for (std::int32_t from = 0; from < 5; ++from) {
      const std::int32_t to = receivers[static_cast<std::size_t>(from)];
      EXPECT_NE(from, to);
      pairs.emplace(from, to);
    }
  }
  EXPECT_EQ(pairs.size(), 20u);
}

}  // namespace
}  // namespace nmt::sampler
