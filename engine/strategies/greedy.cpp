// SPDX-License-Identifier: BSD-3-Clause
//
// Paper "multi-rail strategies", 3.2: whenever a rail becomes idle, it takes the first waiting
// segment, alone. Over one rail, messages go one after the other.
#include "engine/strategy.h"

namespace nmt::engine {

void schedule_greedy(Outlet& outlet) {
  for (bool fed = true; fed;) {
    fed = false;
    for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
      if (outlet.window().small.empty() || !outlet.lanes()[lane].takes_small) continue;
      outlet.send_small(lane, 1);
      fed = true;
    }
  }
  send_large_whole(outlet);
}

}  // namespace nmt::engine
