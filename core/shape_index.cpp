// SPDX-License-Identifier: BSD-3-Clause
#include "core/shape_index.h"

#include <algorithm>
#include <limits>

namespace nmt {

ShapeIndex::ShapeIndex(std::span<const ShapeRange> ranges) {
  for (const ShapeRange& range : ranges) {
    columns_.push_back(range.nodes);
    if (range.nodes_last < std::numeric_limits<std::uint32_t>::max()) {
      columns_.push_back(range.nodes_last + 1);
    }
  }
  std::ranges::sort(columns_);
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  tree_.resize(2 * columns_.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ShapeRange& range = ranges[i];
    const Entry entry{range.ranks_per_node, range.ranks_per_node_last,
                      static_cast<std::uint32_t>(i)};
    std::size_t first = leaf_of(range.nodes), end = leaf_of(range.nodes_last) + 1;
    for (; first < end; first /= 2, end /= 2) {
      if (first % 2 == 1) tree_[first++].push_back(entry);
      if (end % 2 == 1) tree_[--end].push_back(entry);
    }
  }
}

std::size_t ShapeIndex::leaf_of(std::uint32_t nodes) const {
  const auto after = std::ranges::upper_bound(columns_, nodes);
  if (after == columns_.begin()) return 0;
  return columns_.size() + static_cast<std::size_t>(after - columns_.begin()) - 1;
}

}  // namespace nmt
