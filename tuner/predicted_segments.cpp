// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/predicted_segments.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>

#include "core/collective_sample.h"
#include "tuner/collective_model.h"

namespace nmt::tuner {
namespace {

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

bool is_same_way(const CollectiveTime& one, const CollectiveTime& other) {
  return one.algorithm == other.algorithm && one.segment_bytes == other.segment_bytes &&
         one.leaders == other.leaders;
}

// Of a predicted cell, which has one.
double library_ns(const CollectiveCell& cell) {
  const auto found = std::ranges::find_if(
      cell.times, [](const CollectiveTime& time) { return time.algorithm == kLibraryAlgorithm; });
  return found->median_ns;
}

// A cell of the same size on two shapes: each way gains as little on the MPI's own as where it
// gains least, and each error is the larger one.
CollectiveCell worse_of(const CollectiveCell& one, const CollectiveCell& other) {
  CollectiveCell worse = one;
  worse.gain_error = std::max(*one.gain_error, *other.gain_error);
  worse.times.clear();
  const double scale = library_ns(one) / library_ns(other);
  for (const CollectiveTime& time : one.times) {
    const auto same = std::ranges::find_if(
        other.times, [&](const CollectiveTime& each) { return is_same_way(each, time); });
    if (same == other.times.end()) continue;
    worse.times.push_back(time);
    if (time.algorithm == kLibraryAlgorithm) continue;
    worse.times.back().median_ns = std::max(time.median_ns, scale * same->median_ns);
    worse.times.back().gain_error = std::max(time.gain_error, same->gain_error);
  }
  std::ranges::stable_sort(worse.times, {}, &CollectiveTime::median_ns);
  return worse;
}

// Sizes that are not predicted on both shapes are left out.
std::vector<CollectiveCell> worse_of(const std::vector<CollectiveCell>& one,
                                     const std::vector<CollectiveCell>& other) {
  std::vector<CollectiveCell> worse;
  for (const CollectiveCell& cell : one) {
    const auto same = std::ranges::find(other, cell.size_bytes, &CollectiveCell::size_bytes);
    if (same != other.end()) worse.push_back(worse_of(cell, *same));
  }
  return worse;
}

// The rules that replace the MPI's own.
std::vector<SegmentRule> acting_rules(const std::vector<CollectiveCell>& cells) {
  std::vector<SegmentRule> rules = derive_segments(cells);
  std::erase_if(rules, [](const SegmentRule& rule) { return rule.algorithm == kLibraryAlgorithm; });
  return rules;
}

// For all shapes in these ranges. Gains change with the shape, and the error grows with the
// distance from the sampled ones, so a rule must hold at the middle and at all ends.
std::vector<SegmentRule> rules_in(const CollectiveModel& model, const NumberRange& nodes,
                                  const NumberRange& ranks_per_node) {
  const CollectiveShape shape{middle(nodes), middle(ranks_per_node)};
  std::vector<CollectiveCell> cells = model.predict(shape);
  if (acting_rules(cells).empty()) return {};  // most ranges: the ends need no prediction
  std::set<CollectiveShape> ends;
  for (const std::int64_t between : {nodes.from, nodes.to}) {
    for (const std::int64_t local : {ranks_per_node.from, ranks_per_node.to}) {
      ends.insert({between, local});
    }
  }
  ends.erase(shape);
  for (const CollectiveShape& end : ends) cells = worse_of(cells, model.predict(end));
  std::vector<SegmentRule> rules = acting_rules(cells);
  for (SegmentRule& rule : rules) {
    rule.nodes = nodes.from;
    rule.nodes_max = nodes.to;
    rule.ranks_per_node = ranks_per_node.from;
    rule.ranks_per_node_max = ranks_per_node.to;
  }
  return rules;
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
  for (const NumberRange& local : ranges(kPredictedRanksPerNodeMax, kRankRanges, ranks_per_node)) {
    for (const NumberRange& between : ranges(kPredictedNodesMax, kNodeRanges, nodes)) {
      const CollectiveShape shape{middle(between), middle(local)};
      if (std::ranges::find(model.shapes(), shape) != model.shapes().end()) continue;
      if (shape.nodes * shape.ranks_per_node < 2) continue;
      std::ranges::move(rules_in(model, between, local), std::back_inserter(rules));
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
