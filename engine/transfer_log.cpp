// SPDX-License-Identifier: BSD-3-Clause
#include "engine/transfer_log.h"

#include "core/units.h"

namespace nmt::engine {

void TransferLog::add(const std::string& peer, std::uint64_t size_bytes, const SendTrace& trace,
                      double duration_ns) {
  if (entries_.size() == entries_.capacity()) {
    ++left_out_;
    return;
  }
  entries_.push_back(
      {.peer = &peer, .size_bytes = size_bytes, .trace = trace, .duration_ns = duration_ns});
}

std::string TransferLog::take(const std::vector<std::string>& rails) {
  std::string text;
  for (const Entry& entry : entries_) {
    std::string over, by;
    for (std::size_t i = 0; i < rails.size() && i < 64; ++i) {
      if (entry.trace.rails >> i & 1) over += (over.empty() ? "" : ", ") + rails[i];
    }
    for (const Method method : kMethods) {
      if ((entry.trace.methods >> static_cast<unsigned>(method) & 1) == 0) continue;
      by += (by.empty() ? "" : ", ") + std::string(to_string(method));
    }
    text += "nmadtune: sent " + format_bytes(entry.size_bytes) + " to " + *entry.peer + " over " +
            over + " in " + std::to_string(entry.trace.chunks) +
            (entry.trace.chunks == 1 ? " chunk by " : " chunks by ") + by + " in " +
            format_duration(entry.duration_ns) + '\n';
  }
  if (left_out_ > 0) {
    text += "nmadtune: " + std::to_string(left_out_) + " more messages were sent meanwhile\n";
  }
  entries_.clear();
  left_out_ = 0;
  return text;
}

}  // namespace nmt::engine
