// SPDX-License-Identifier: BSD-3-Clause
//
// Like `adaptive`, but eager messages go in chunks over several rails, where the profile says that
// this pays despite the cost of waking other cores: this core gives one chunk to its driver, and
// other cores give the others to theirs (paper "multirail on multicore", II-C, III-D).
#include <array>

#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// Sends the first small unit in chunks; false if it stays whole. Other cores get their chunks
// first, because they begin later. If a core has not begun by the time at which its chunk should
// have ended, another thread computes there, and this core sends that chunk too.
bool send_in_chunks(Outlet& outlet) {
  if (outlet.window().small.empty() || outlet.helpers() == 0) return false;
  const Label& label = outlet.window().small.front().label;
  if (label.kind != Kind::kEager || label.body_bytes == 0) return false;
  std::array<std::size_t, NMT_SPLIT_RAILS_MAX> idle;
  std::array<nmt_share, NMT_SPLIT_RAILS_MAX> shares;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
    if (!outlet.lanes()[lane].takes_small || count == idle.size()) continue;
    idle[count] = lane;
    nmt_share& share = shares[count++];
    share = {};
    share.struct_bytes = sizeof share;
    share.path = outlet.lanes()[lane].path;
    share.release_ns = outlet.lanes()[lane].release_ns;
  }
  if (count < 2) return false;
  const bool pays = outlet.advice().eager_chunks(outlet.helpers_placement(), outlet.helpers(),
                                                 label.body_bytes, std::span(shares).first(count));
  if (!pays) return false;
  std::size_t own = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (shares[i].bytes == 0) continue;
    if (shares[i].offset_bytes == 0) {
      own = i;
    } else {
      outlet.send_chunk(idle[i], shares[i].bytes, shares[i].end_ns);
    }
  }
  outlet.send_chunk(idle[own], shares[own].bytes);
  return true;
}

}  // namespace

void schedule_offload(Outlet& outlet) {
  while (send_in_chunks(outlet)) continue;
  schedule_adaptive(outlet);
}

}  // namespace nmt::engine
