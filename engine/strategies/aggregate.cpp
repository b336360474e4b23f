// SPDX-License-Identifier: BSD-3-Clause
//
// Paper "multi-rail strategies", 3.3: small packets together over the rail of lowest latency, large
// ones greedily.
#include "engine/strategy.h"

namespace nmt::engine {

void schedule_aggregate(Outlet& outlet) {
  send_small_together(outlet);
  send_large_whole(outlet);
}

}  // namespace nmt::engine
