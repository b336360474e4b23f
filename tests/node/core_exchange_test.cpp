// SPDX-License-Identifier: BSD-3-Clause
#include "node/core_exchange.h"

#include <gtest/gtest.h>

namespace nmt::node {
namespace {

TEST(CoreExchange, TakesLongerForMore) {
  const CorePair cores = nearest_cores();
  if (cores.near == cores.far) GTEST_SKIP() << "there is one core";
  const OnCores near(cores.near);
  const double line_ns = core_exchange_ns(cores, 64);
  EXPECT_GT(line_ns, 10);  // two passages through a cache at least
  EXPECT_GT(core_exchange_ns(cores, 65536), 2 * line_ns);
}

TEST(CoreExchange, IsNoneWithinOneCore) {
  const int core = allowed_cores().front();
  EXPECT_EQ(core_exchange_ns({core, core}, 64), 0);
}

}  // namespace
}  // namespace nmt::node
