// SPDX-License-Identifier: BSD-3-Clause
#include "engine/chunk_ends.h"

#include <algorithm>

namespace nmt::engine {

void ChunkEnds::announced(const Label& label, double now_ns) {
  coming_.try_emplace(label.sequence, Message{.start_ns = now_ns});
}

void ChunkEnds::came(const Label& label, std::size_t link, double now_ns) {
  const auto at = coming_.find(label.sequence);
  if (at == coming_.end()) return;
  Message& message = at->second;
  message.came_bytes += label.body_bytes;
  if (message.ends_ns.size() <= link) message.ends_ns.resize(link + 1);
  message.ends_ns[link] = now_ns;
  if (message.came_bytes < label.total_bytes) return;
  std::erase(message.ends_ns, 0);
  if (message.ends_ns.size() > 1) {
    const auto [first, last] = std::ranges::minmax(message.ends_ns);
    ++messages_;
    duration_ns_ += last - message.start_ns;
    apart_ns_ += last - first;
  }
  coming_.erase(at);
}

void ChunkEnds::add_to(GateState& state) const {
  state.split_messages += messages_;
  state.split_duration_ns += duration_ns_;
  state.split_apart_ns += apart_ns_;
}

}  // namespace nmt::engine
