// SPDX-License-Identifier: BSD-3-Clause
//
// Equal chunks over the idle rails at any speed, which is right for equal rails only (paper
// "sampling-based auto-tuning", figure 3b). Small packets as in `aggregate`.
#include "engine/strategy.h"

namespace nmt::engine {
namespace {

std::size_t idle_lanes(const Outlet& outlet) {
  std::size_t idle = 0;
  for (const Lane& lane : outlet.lanes()) idle += lane.takes_large;
  return idle;
}

}  // namespace

void schedule_iso(Outlet& outlet) {
  send_small_together(outlet);
  while (!outlet.window().large.empty()) {
    std::size_t idle = idle_lanes(outlet);
    if (idle == 0) return;
    std::uint64_t left_bytes = outlet.window().large.front().label.body_bytes;
    for (std::size_t lane = 0; lane < outlet.lanes().size() && idle > 0; ++lane) {
      if (!outlet.lanes()[lane].takes_large) continue;
      const std::uint64_t chunk_bytes = (left_bytes + idle - 1) / idle;
      left_bytes -= chunk_bytes;
      --idle;
      if (outlet.send_large(lane, 0, chunk_bytes)) break;
    }
  }
}

}  // namespace nmt::engine
