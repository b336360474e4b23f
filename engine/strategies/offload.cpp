// SPDX-License-Identifier: BSD-3-Clause
//
// Like `adaptive`, but other cores give eager chunks over several rails to the drivers, if the
// profile says that this pays despite the cost of waking them (paper "multirail on multicore",
// II-C, III-D).
#include <vector>

#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// Sends the first small unit in chunks; false if it stays whole.
bool send_in_chunks(Outlet& outlet) {
  if (outlet.window().small.empty() || outlet.helpers() < 2) return false;
  const Label& label = outlet.window().small.front().label;
  if (label.kind != Kind::kEager || label.body_bytes == 0) return false;
  std::vector<std::size_t> idle;
  std::vector<nmt_share> shares;
  for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
    if (!outlet.lanes()[lane].takes_small || idle.size() == NMT_SPLIT_RAILS_MAX) continue;
    idle.push_back(lane);
    nmt_share& share = shares.emplace_back();
    share.struct_bytes = sizeof share;
    share.path = outlet.lanes()[lane].path;
    share.release_ns = outlet.lanes()[lane].release_ns;
  }
  if (idle.size() < 2) return false;
  const bool pays = outlet.advice().eager_chunks(outlet.helpers_placement(), outlet.helpers(),
                                                 label.body_bytes, shares);
  if (!pays) return false;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    if (shares[i].bytes > 0) outlet.send_small_elsewhere(idle[i], shares[i].bytes);
  }
  return true;
}

}  // namespace

void schedule_offload(Outlet& outlet) {
  while (send_in_chunks(outlet)) continue;
  schedule_adaptive(outlet);
}

}  // namespace nmt::engine
