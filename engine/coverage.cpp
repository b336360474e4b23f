// SPDX-License-Identifier: BSD-3-Clause
#include "engine/coverage.h"

#include <algorithm>

namespace nmt::engine {

Coverage::Parts::iterator Coverage::find(std::uint64_t offset_bytes) {
  return std::ranges::lower_bound(parts_, offset_bytes, {}, &Part::from);
}

// A piece next to another part is accepted even if there are too many gaps.
bool Coverage::announce(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link) {
  const std::uint64_t end = offset_bytes + size_bytes;
  const auto after = find(offset_bytes);
  const bool first = after == parts_.begin();
  const bool last = after == parts_.end();
  if (!last && (after->from < end || size_bytes == 0)) return false;
  if (!first && std::prev(after)->to > offset_bytes) return false;
  const bool adjacent =
      (!first && std::prev(after)->to == offset_bytes) || (!last && after->from == end);
  if (parts_.size() >= kPartsMax && !adjacent) return false;
  parts_.insert(after, {.from = offset_bytes, .to = end, .link = link});
  return true;
}

bool Coverage::join(const Part& before, const Part& after) {
  return !before.link && !after.link && before.to == after.from;
}

Coverage::Parts::iterator Coverage::find_announced(std::uint64_t offset_bytes,
                                                   std::uint64_t size_bytes, std::size_t link) {
  const auto at = find(offset_bytes);
  const bool is_it = at != parts_.end() && at->from == offset_bytes &&
                     at->to == offset_bytes + size_bytes && at->link == link;
  return is_it ? at : parts_.end();
}

bool Coverage::come(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link) {
  const auto at = find_announced(offset_bytes, size_bytes, link);
  if (at == parts_.end()) return false;
  at->link.reset();
  bytes_ += size_bytes;
  if (at + 1 != parts_.end() && join(*at, at[1])) {
    at->to = at[1].to;
    parts_.erase(at + 1);
  }
  if (at != parts_.begin() && join(at[-1], *at)) {
    at[-1].to = at->to;
    parts_.erase(at);
  }
  return true;
}

void Coverage::withdraw(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link) {
  const auto at = find_announced(offset_bytes, size_bytes, link);
  if (at != parts_.end()) parts_.erase(at);
}

void Coverage::forget(std::size_t link) {
  std::erase_if(parts_, [&](const Part& part) { return part.link == link; });
}

}  // namespace nmt::engine
