// SPDX-License-Identifier: BSD-3-Clause
//
// Like `adaptive`, but eager messages go in chunks over several rails, where the profile says that
// this pays despite the cost of waking other cores: this core gives one chunk to its driver, and
// other cores give the others to theirs (paper "multirail on multicore", II-C, III-D). Where the
// rails were measured together, this core sends all chunks if they end sooner so.
#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// Sends the first small unit in chunks; false if it stays whole. Other cores get their chunks
// first, because they begin later. If a core has not begun by the time at which its chunk should
// have ended, another thread computes there, and this core sends that chunk too.
bool send_in_chunks(Outlet& outlet) {
  if (outlet.window().small.empty()) return false;
  const Label& label = outlet.window().small.front().label;
  if (label.kind != Kind::kEager) return false;
  const auto chunks = chunks_elsewhere(outlet, label.body_bytes);
  if (!chunks) return false;
  std::size_t own = 0;
  for (std::size_t i = 0; i < chunks->count; ++i) {
    const nmt_share& share = chunks->shares[i];
    if (share.bytes == 0) continue;
    if (share.offset_bytes == 0) {
      own = i;
    } else {
      outlet.send_chunk(chunks->lanes[i], share.bytes, share.end_ns);
    }
  }
  outlet.send_chunk(chunks->lanes[own], chunks->shares[own].bytes);
  return true;
}

}  // namespace

std::optional<ChunksElsewhere> chunks_elsewhere(const Outlet& outlet, std::uint64_t size_bytes) {
  if (outlet.helpers() == 0 || size_bytes == 0) return std::nullopt;
  ChunksElsewhere chunks;
  for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
    const Lane& each = outlet.lanes()[lane];
    if (!each.takes_small || chunks.count == chunks.lanes.size()) continue;
    chunks.lanes[chunks.count] = lane;
    chunks.shares[chunks.count++] = share_of(each, each.release_ns);
  }
  if (chunks.count < 2) return std::nullopt;
  const auto end_ns =
      outlet.advice().eager_chunks(outlet.helpers_placement(), outlet.helpers(), size_bytes,
                                   std::span(chunks.shares).first(chunks.count));
  if (!end_ns) return std::nullopt;
  chunks.end_ns = *end_ns;
  return chunks;
}

void schedule_offload(Outlet& outlet) {
  while (send_in_chunks(outlet)) continue;
  schedule_adaptive(outlet);
}

}  // namespace nmt::engine
