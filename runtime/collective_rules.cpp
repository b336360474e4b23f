// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

namespace nmt::runtime {
namespace {

bool is_same(const View& view, TextOffset text, const char* requested) {
  return std::strcmp(view.text_at(text), requested) == 0;
}

// A predicted rule is for ranges of shapes.
ShapeRange shapes_of(const SegmentRecord& rule) {
  return {.nodes = rule.nodes,
          .nodes_last = std::max(rule.nodes, rule.nodes_max),
          .ranks_per_node = rule.ranks_per_node,
          .ranks_per_node_last = std::max(rule.ranks_per_node, rule.ranks_per_node_max)};
}

}  // namespace

// By the places of texts, not by their letters: a damaged snapshot may have many long ones.
CollectiveRules::CollectiveRules(const View& view) {
  std::map<std::pair<TextOffset, TextOffset>, std::size_t> places;  // in groups_
  for (std::size_t i = 0; i < view.segments.size(); ++i) {
    const SegmentRecord& rule = view.segments[i];
    const auto [place, is_new] = places.try_emplace({rule.operation, rule.mpi}, groups_.size());
    if (is_new) groups_.push_back({rule.operation, rule.mpi, {}, {}});
    groups_[place->second].rules.push_back(static_cast<std::uint32_t>(i));
  }
  for (Group& group : groups_) {
    std::vector<ShapeRange> shapes;
    for (const std::uint32_t rule : group.rules) shapes.push_back(shapes_of(view.segments[rule]));
    group.shapes = ShapeIndex(shapes);
  }
}

const SegmentRecord* CollectiveRules::find(const View& view,
                                           const nmt_collective_call& call) const {
  const char* mpi = call.mpi;
  const SegmentRecord* first = nullptr;
  for (const Group& group : groups_) {
    if (!is_same(view, group.operation, call.operation)) continue;
    if (mpi == nullptr) mpi = view.text_at(group.mpi);
    if (!is_same(view, group.mpi, mpi)) continue;
    group.shapes.find(call.nodes, call.ranks_per_node, [&](std::uint32_t i) {
      const SegmentRecord& rule = view.segments[group.rules[i]];
      const bool contains = rule.from_bytes <= call.size_bytes && call.size_bytes < rule.to_bytes;
      if (contains && (first == nullptr || &rule < first)) first = &rule;
    });
  }
  return first;
}

}  // namespace nmt::runtime
