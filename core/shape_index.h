// SPDX-License-Identifier: BSD-3-Clause
//
// Which of many ranges of job shapes contain a shape, without a look at each of them.
//
// The numbers of nodes at which ranges begin and end divide all numbers into columns. A binary tree
// stands on the columns. Each range is stored at the few nodes of the tree that cover just its
// columns. So a search goes from one column up to the root, and meets only ranges that contain the
// number of nodes. Memory grows with n log n, however ranges overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nmt {

// Both ends are inclusive.
struct ShapeRange {
  std::uint32_t nodes = 0;
  std::uint32_t nodes_last = 0;
  std::uint32_t ranks_per_node = 0;
  std::uint32_t ranks_per_node_last = 0;
};

class ShapeIndex {
 public:
  ShapeIndex() = default;
  explicit ShapeIndex(std::span<const ShapeRange> ranges);

  // Calls found(i) for each range i that contains the shape, in any order. Does not allocate.
  template <class Found>
  void find(std::uint32_t nodes, std::uint32_t ranks_per_node, Found&& found) const {
    for (std::size_t at = leaf_of(nodes); at > 0; at /= 2) {
      for (const Entry& entry : tree_[at]) {
        if (entry.ranks_per_node <= ranks_per_node && ranks_per_node <= entry.ranks_per_node_last) {
          found(entry.range);
        }
      }
    }
  }

 private:
  struct Entry {
    std::uint32_t ranks_per_node;
    std::uint32_t ranks_per_node_last;
    std::uint32_t range;
  };

  std::size_t leaf_of(std::uint32_t nodes) const;  // 0: all ranges begin later

  std::vector<std::uint32_t> columns_;    // first number of nodes of each, ascending
  std::vector<std::vector<Entry>> tree_;  // from 1, the root; node i has the children 2i and 2i + 1
};

}  // namespace nmt
