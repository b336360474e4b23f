// SPDX-License-Identifier: BSD-3-Clause
#include "engine/operation.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace nmt::engine {

drivers::ConstBytes Send::at(std::uint64_t offset_bytes, std::uint64_t wanted_bytes) const {
  if (wanted_bytes == 0) return {};
  if (!copy.empty()) return drivers::ConstBytes(copy).subspan(offset_bytes, wanted_bytes);
  for (const drivers::ConstBytes segment : segments) {
    if (offset_bytes < segment.size()) return segment.subspan(offset_bytes, wanted_bytes);
    offset_bytes -= segment.size();
  }
  NMT_CHECK(false);
}

void Send::keep_copy() {
  if (!copy.empty()) return;
  copy.reserve(size_bytes);
  for (const drivers::ConstBytes segment : segments)
    copy.insert(copy.end(), segment.begin(), segment.end());
}

void Receive::places(std::uint64_t offset_bytes, std::uint64_t wanted_bytes,
                     std::vector<drivers::Bytes>& places) const {
  for (const drivers::Bytes segment : segments) {
    if (wanted_bytes == 0) return;
    if (offset_bytes >= segment.size()) {
      offset_bytes -= segment.size();
      continue;
    }
    const drivers::Bytes part = segment.subspan(
        offset_bytes, std::min<std::uint64_t>(wanted_bytes, segment.size() - offset_bytes));
    places.push_back(part);
    wanted_bytes -= part.size();
    offset_bytes = 0;
  }
  NMT_CHECK(wanted_bytes == 0);
}

void Receive::fill(drivers::ConstBytes from) const {
  for (const drivers::Bytes segment : segments) {
    const drivers::ConstBytes part = from.first(std::min(from.size(), segment.size()));
    if (!part.empty()) std::memcpy(segment.data(), part.data(), part.size());
    from = from.subspan(part.size());
  }
  NMT_CHECK(from.empty());
}

}  // namespace nmt::engine
