// SPDX-License-Identifier: BSD-3-Clause
#include "engine/coverage.h"

#include <algorithm>

namespace nmt::engine {

bool Coverage::add(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  if (size_bytes == 0) return true;
  const std::uint64_t end = offset_bytes + size_bytes;
  const auto after = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const Part& part) { return part.from >= offset_bytes; });
  if (after != parts_.end() && after->from < end) return false;
  if (after != parts_.begin() && std::prev(after)->to > offset_bytes) return false;
  const bool joins_before = after != parts_.begin() && std::prev(after)->to == offset_bytes;
  const bool joins_after = after != parts_.end() && after->from == end;
  if (joins_before && joins_after) {
    std::prev(after)->to = after->to;
    parts_.erase(after);
  } else if (joins_before) {
    std::prev(after)->to = end;
  } else if (joins_after) {
    after->from = offset_bytes;
  } else if (parts_.size() < kPartsMax) {
    parts_.insert(after, {offset_bytes, end});
  } else {
    return false;
  }
  bytes_ += size_bytes;
  return true;
}

}  // namespace nmt::engine
