// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/segments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "core/method.h"
#include "core/statistics.h"
#include "tuner/tuner.h"

namespace nmt {
namespace {

constexpr std::string_view kLibrary = "library";

bool is_library(const CollectiveTime& time) { return time.algorithm == kLibrary; }

// "alltoall" is contention's.
bool is_hierarchical(const Sample& sample) {
  return !sample.held_out && sample.condition.benchmark == benchmark::kCollective &&
         sample.condition.operation != "alltoall";
}

// The MPI that was measured last: rules are of one.
std::string newest_mpi(std::span<const SampleSet> sets) {
  std::string newest, mpi;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      if (!is_hierarchical(sample) || set.campaign.started_utc < newest) continue;
      newest = set.campaign.started_utc;
      mpi = sample.condition.mpi;
    }
  }
  return mpi;
}

struct Choice {
  std::string algorithm;
  std::uint64_t segment_bytes = 0;
  std::int64_t leaders = 1;
  bool operator==(const Choice&) const = default;
};

Choice choice_of(const SegmentRule& rule) {
  return {rule.algorithm, rule.segment_bytes, rule.leaders};
}

bool is(const CollectiveTime& time, const Choice& choice) {
  return time.algorithm == choice.algorithm && time.segment_bytes == choice.segment_bytes &&
         time.leaders == choice.leaders;
}

// Where the MPI's own is chosen, the segment is the best of ours all the same.
std::optional<Choice> choose(const CollectiveCell& cell, const std::optional<Choice>& before) {
  const CollectiveTime* ours = nullptr;
  const CollectiveTime* library = nullptr;
  const CollectiveTime* same = nullptr;
  for (const CollectiveTime& time : cell.times) {
    if (is_library(time) && library == nullptr) library = &time;
    if (!is_library(time) && ours == nullptr) ours = &time;
    if (before && is(time, *before)) same = &time;
  }
  if (ours == nullptr) return std::nullopt;
  if (library != nullptr && library->median_ns <= ours->median_ns * (1 + kEquivalence)) {
    return Choice{std::string(kLibrary), ours->segment_bytes, ours->leaders};
  }
  if (same != nullptr && same->median_ns <= ours->median_ns * (1 + kEquivalence)) return before;
  return Choice{ours->algorithm, ours->segment_bytes, ours->leaders};
}

// Where the choice changes between two sizes.
std::uint64_t change_between(const SegmentRule& last, std::uint64_t last_bytes,
                             const SegmentRule& next, std::uint64_t next_bytes) {
  if (last.algorithm == kLibrary) return next_bytes;
  if (next.algorithm == kLibrary) return last_bytes + 1;
  return static_cast<std::uint64_t>(
      std::sqrt(static_cast<double>(last_bytes) * static_cast<double>(next_bytes)));
}

bool same_shape(const SegmentRule& rule, const CollectiveCell& cell) {
  return rule.operation == cell.operation && rule.nodes == cell.nodes &&
         rule.ranks_per_node == cell.ranks_per_node;
}

}  // namespace

std::vector<CollectiveCell> collective_cells(std::span<const SampleSet> sets) {
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::uint64_t>;
  using Way = std::tuple<std::string, std::uint64_t, std::int64_t>;
  std::map<Key, std::map<Way, std::vector<double>>> measured;
  const std::string mpi = newest_mpi(sets);
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& c = sample.condition;
      if (!is_hierarchical(sample) || c.mpi != mpi) continue;
      auto& times = measured[{c.operation, c.nodes, c.ranks_per_node, sample.size_bytes}]
                            [{c.algorithm, static_cast<std::uint64_t>(c.segment_bytes), c.leaders}];
      for (const Repetition& repetition : trusted(sample.repetitions)) {
        times.push_back(repetition.each_ns());
      }
    }
  }
  std::vector<CollectiveCell> cells;
  for (const auto& [key, ways] : measured) {
    CollectiveCell& cell = cells.emplace_back();
    std::tie(cell.operation, cell.nodes, cell.ranks_per_node, cell.size_bytes) = key;
    for (const auto& [way, times] : ways) {
      if (times.empty()) continue;
      const auto& [algorithm, segment_bytes, leaders] = way;
      cell.times.push_back({algorithm, segment_bytes, leaders, median(times)});
    }
    std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
  }
  return cells;
}

std::vector<SegmentRule> derive_segments(std::span<const CollectiveCell> cells) {
  std::vector<SegmentRule> rules;
  std::optional<Choice> before;
  std::uint64_t before_bytes = 0;
  for (const CollectiveCell& cell : cells) {
    const bool goes_on = !rules.empty() && same_shape(rules.back(), cell);
    if (!goes_on) before.reset();
    const std::optional<Choice> choice = choose(cell, before);
    if (!choice) continue;
    if (!goes_on || *choice != before) {
      SegmentRule rule{.operation = cell.operation,
                       .nodes = cell.nodes,
                       .ranks_per_node = cell.ranks_per_node,
                       .from_bytes = cell.size_bytes,
                       .segment_bytes = choice->segment_bytes,
                       .algorithm = choice->algorithm,
                       .leaders = choice->leaders};
      if (goes_on) {
        rule.from_bytes = change_between(rules.back(), before_bytes, rule, cell.size_bytes);
        rules.back().to_bytes = rule.from_bytes;
      }
      rules.push_back(std::move(rule));
    }
    before = choice;
    before_bytes = cell.size_bytes;
  }
  return rules;
}

std::optional<double> regret(std::span<const SegmentRule> rules, const CollectiveCell& cell) {
  for (const SegmentRule& rule : rules) {
    if (!same_shape(rule, cell) || cell.size_bytes < rule.from_bytes) continue;
    if (rule.to_bytes && cell.size_bytes >= *rule.to_bytes) continue;
    for (const CollectiveTime& time : cell.times) {
      const bool chosen = is_library(time) ? rule.algorithm == kLibrary : is(time, choice_of(rule));
      if (chosen) return time.median_ns / cell.times.front().median_ns - 1;
    }
  }
  return std::nullopt;
}

}  // namespace nmt
