// SPDX-License-Identifier: BSD-3-Clause
//
// Ranges of numbers, joined where they overlap or meet: whether one of thousands of ranges contains
// a number is then a search among few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace nmt::collectives {

class MergedRanges {
 public:
  // From `from` to below `to`.
  struct Range {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };

  MergedRanges() = default;
  explicit MergedRanges(std::vector<Range> ranges) {
    std::ranges::sort(ranges, {}, &Range::from);
    for (const Range& range : ranges) {
      if (range.from >= range.to) continue;
      if (!all_.empty() && range.from <= all_.back().to) {
        all_.back().to = std::max(all_.back().to, range.to);
      } else {
        all_.push_back(range);
      }
    }
  }

  bool empty() const { return all_.empty(); }
  bool contains(std::uint64_t number) const {
    const auto after = std::ranges::upper_bound(all_, number, {}, &Range::from);
    return after != all_.begin() && number < std::prev(after)->to;
  }

 private:
  std::vector<Range> all_;  // ascending
};

}  // namespace nmt::collectives
