// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/predicted_segments.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "tuner/collective_model.h"

namespace nmt::tuner {
namespace {

constexpr std::int64_t kNodesMax = 1024;
constexpr std::int64_t kRanksPerNodeMax = 128;
constexpr int kNodeRanges = 4;  // in an octave
constexpr int kRankRanges = 2;

struct NumberRange {
  std::int64_t from = 0;
  std::int64_t to = 0;  // inclusive
};

// Ranges from 1 on, `in_octave` of them from one power of two to the next, but sampled numbers
// alone.
std::vector<NumberRange> ranges(std::int64_t most, int in_octave,
                                const std::set<std::int64_t>& sampled) {
  std::set<std::int64_t> ends(sampled);
  for (const std::int64_t each : sampled) ends.insert(each - 1);
  for (std::int64_t power = 1; power <= most; power *= 2) {
    for (int i = 0; i < in_octave; ++i) ends.insert(power + power * i / in_octave);
  }
  std::vector<NumberRange> all;
  for (const std::int64_t end : ends) {
    if (end < 1 || end > most) continue;
    all.push_back({all.empty() ? 1 : all.back().to + 1, end});
  }
  return all;
}

std::int64_t middle(const NumberRange& range) {
  return std::llround(std::sqrt(static_cast<double>(range.from) * static_cast<double>(range.to)));
}

bool same_choice(const SegmentRule& one, const SegmentRule& other) {
  return one.from_bytes == other.from_bytes && one.to_bytes == other.to_bytes &&
         one.algorithm == other.algorithm && one.segment_bytes == other.segment_bytes &&
         one.leaders == other.leaders;
}

bool follows_in_nodes(const SegmentRule& one, const SegmentRule& other) {
  return one.nodes_max + 1 == other.nodes && one.ranks_per_node == other.ranks_per_node &&
         one.ranks_per_node_max == other.ranks_per_node_max;
}

bool follows_in_ranks(const SegmentRule& one, const SegmentRule& other) {
  return one.ranks_per_node_max + 1 == other.ranks_per_node && one.nodes == other.nodes &&
         one.nodes_max == other.nodes_max;
}

// Joins rules that choose the same on neighboring ranges; the gain is the least of them.
std::vector<SegmentRule> joined(const std::vector<SegmentRule>& rules,
                                bool (*follows)(const SegmentRule&, const SegmentRule&)) {
  std::vector<SegmentRule> all;
  for (const SegmentRule& rule : rules) {
    const auto before = std::ranges::find_if(all, [&](const SegmentRule& each) {
      return same_choice(each, rule) && follows(each, rule);
    });
    if (before == all.end()) {
      all.push_back(rule);
      continue;
    }
    before->nodes_max = rule.nodes_max;
    before->ranks_per_node_max = rule.ranks_per_node_max;
    before->gain = std::min(before->gain, rule.gain);
  }
  return all;
}

std::vector<SegmentRule> rules_of(const CollectiveModel& model) {
  std::set<std::int64_t> nodes, ranks_per_node;
  for (const CollectiveShape& shape : model.shapes()) {
    nodes.insert(shape.nodes);
    ranks_per_node.insert(shape.ranks_per_node);
  }
  std::vector<SegmentRule> rules;
  for (const NumberRange& local : ranges(kRanksPerNodeMax, kRankRanges, ranks_per_node)) {
    for (const NumberRange& between : ranges(kNodesMax, kNodeRanges, nodes)) {
      const CollectiveShape shape{middle(between), middle(local)};
      if (std::ranges::find(model.shapes(), shape) != model.shapes().end()) continue;
      if (shape.nodes * shape.ranks_per_node < 2) continue;
      for (SegmentRule& rule : derive_segments(model.predict(shape))) {
        if (rule.algorithm == "library") continue;
        rule.nodes = between.from;
        rule.nodes_max = between.to;
        rule.ranks_per_node = local.from;
        rule.ranks_per_node_max = local.to;
        rules.push_back(std::move(rule));
      }
    }
  }
  return joined(joined(rules, follows_in_nodes), follows_in_ranks);
}

}  // namespace

std::vector<SegmentRule> predict_segments(std::span<const CollectiveCell> cells) {
  std::vector<SegmentRule> rules;
  for (const CollectiveModel& model : collective_models(cells)) {
    for (SegmentRule& rule : rules_of(model)) rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace nmt::tuner
