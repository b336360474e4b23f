// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/collective_winners.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stacks/settings.h"
#include "stacks/settings_choice.h"

namespace nmt::stacks {
namespace {

StackKey own_choice_of(StackKey key) {
  key.algorithm = kOwnChoice;
  key.segment_bytes = 0;
  return key;
}

// Launches that were too few for a proof count as well.
bool may_lose(const ByRound& before, const ByRound& after) {
  const Ratio ratio = ratio_of(before, after);
  return ratio.value < 1 - kStackLoss && (ratio.high < 1 - kStackLoss || std::isinf(ratio.high));
}

}  // namespace

Segments han_segments_in(const StackSamples& samples) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<BeforeAfter>> tried;
  for (const auto& [key, times] : samples.times) {
    const auto own = samples.times.find(own_choice_of(key));
    if (key.algorithm != kHanComponent || key.segment_bytes == 0) continue;
    if (own == samples.times.end()) continue;
    for (const auto& [size_bytes, rounds] : times) {
      const auto before = own->second.find(size_bytes);
      if (before == own->second.end()) continue;
      tried[{key.operation, key.segment_bytes}].emplace_back(&before->second, &rounds);
    }
  }
  Segments segments;
  std::map<std::string, double> gains;
  for (const auto& [which, cells] : tried) {
    const Ratio gain = ratio_over(cells);
    const bool loses = std::ranges::any_of(
        cells, [](const BeforeAfter& cell) { return may_lose(*cell.first, *cell.second); });
    if (loses || !gain.faster() || gain.value < 1 + kStackLoss) continue;
    if (gain.value <= gains[which.first]) continue;
    gains[which.first] = gain.value;
    segments[which.first] = which.second;
  }
  return segments;
}

std::map<RuledOperation, Winners> winners_of(const StackSamples& samples,
                                             const Segments& segments) {
  std::map<RuledOperation, Winners> all;
  for (const auto& [key, times] : samples.times) {
    if (key.algorithm.empty() || key.algorithm == kOwnChoice) continue;
    if (key.algorithm == kHanComponent && key.segment_bytes > 0) {
      const auto segment = segments.find(key.operation);
      if (segment == segments.end() || segment->second != key.segment_bytes) continue;
    }
    const StackKey reference = own_choice_of(key);
    const auto own = samples.times.find(reference);
    if (own == samples.times.end()) continue;
    Winners& winners = all[{key.operation, key.ranks}];
    for (const auto& [size_bytes, rounds] : times) {
      Winner& winner =
          winners
              .try_emplace(
                  size_bytes,
                  Winner{std::string(kOwnChoice), 0, {}, 1, key.ranks_per_node, samples.mpi, 1})
              .first->second;
      const auto before = own->second.find(size_bytes);
      if (before == own->second.end()) continue;
      const Ratio gain = ratio_of(before->second, rounds);
      winner.best_gain = std::max(winner.best_gain, gain.value);
      const bool component = key.algorithm == kTunedComponent || key.algorithm == kHanComponent;
      if (component && key.segment_bytes == 0) {
        winner.component_gain = std::max(winner.component_gain, gain.value);
      }
      const bool pays = gain.faster() && gain.value > 1 + kStackLoss;
      if (!pays || gain.value <= winner.gain.value) continue;
      winner.algorithm = key.algorithm;
      winner.segment_bytes = key.segment_bytes;
      winner.gain = gain;
      winner.ranks_per_node = key.ranks_per_node;
    }
  }
  return all;
}

bool has_rule(const Winners& winners) {
  return std::ranges::any_of(winners,
                             [](const auto& each) { return each.second.algorithm != kOwnChoice; });
}

void leave_to_library(Winner* winner) {
  winner->algorithm = kOwnChoice;
  winner->segment_bytes = 0;
  winner->gain = {};
}

}  // namespace nmt::stacks
