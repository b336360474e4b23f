// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/segments.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "core/collective_sample.h"
#include "core/statistics.h"
#include "tuner/collective_terms.h"
#include "tuner/steady_path.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

constexpr std::string_view kLibrary = kLibraryAlgorithm;
constexpr double kWorthAChange = 0.03;  // of the time at one size, in logarithms
// The MPI's own must be this much slower before a call is taken from it: medians of few rounds are
// not more precise than this for short messages, and programs do more between calls than a sampling
// does.
constexpr double kWorthActing = 0.05;
// Of how far the 95 % interval reaches up, so much counts as time when ways of ours are compared
// with each other: a program pays for slow calls too. Of a way that was measured so rarely, nothing
// is known but that it may reach as far as any other.
constexpr double kReachCounted = 0.25;
constexpr std::size_t kTimesToReach = 3;
// Ours has to be faster by this share of how far the 95 % intervals reach towards each other: then
// it is faster indeed with a probability of 95 %.
constexpr double kOneSided = 0.84;
// Predicted rules end at so many times the largest size that is predicted: an octave, in which the
// errors of left-out shapes are taken for alike too (tuner/collective_model.cpp).
constexpr std::uint64_t kPredictedBeyond = 2;

bool is_library(const CollectiveTime& time) { return time.algorithm == kLibrary; }

// The MPIs, the last measured first.
std::vector<std::string> mpis_of(std::span<const SampleSet> sets) {
  std::map<std::string, std::string> newest;  // start of the newest campaign
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      if (!compares_algorithms(sample)) continue;
      std::string& started_utc = newest[sample.condition.mpi];
      started_utc = std::max(started_utc, set.campaign.started_utc);
    }
  }
  std::vector<std::string> mpis;
  for (const auto& [mpi, started_utc] : newest) mpis.push_back(mpi);
  std::ranges::stable_sort(mpis, std::greater(), [&](const auto& mpi) { return newest[mpi]; });
  return mpis;
}

using Choice = CollectiveChoice;

Choice choice_of(const SegmentRule& rule) {
  return {rule.algorithm, rule.segment_bytes, rule.leaders};
}

Choice choice_of(const CollectiveTime& time) {
  return {time.algorithm, time.segment_bytes, time.leaders};
}

// Duration of a choice in this cell: a segment as large as the message or larger means the whole
// message. Null if not measured.
const CollectiveTime* time_of(const Choice& choice, const CollectiveCell& cell) {
  Choice whole = choice;
  if (choice.segment_bytes >= message_bytes(cell, choice.algorithm)) whole.segment_bytes = 0;
  const CollectiveTime* found = nullptr;
  for (const CollectiveTime& time : cell.times) {
    if (choice_of(time) == choice) return &time;
    if (choice_of(time) == whole) found = &time;
  }
  return found;
}

const CollectiveTime* library_in(const CollectiveCell& cell) {
  const auto found = std::ranges::find_if(cell.times, is_library);
  return found == cell.times.end() ? nullptr : &*found;
}

// The fastest of our algorithms, and of the MPI's others; null if none was measured.
const CollectiveTime* best_in(const CollectiveCell& cell) {
  const auto found = std::ranges::find_if_not(cell.times, is_library);
  return found == cell.times.end() ? nullptr : &*found;
}

double reach_of(const CollectiveTime& time, const CollectiveCell& cell) {
  if (cell.gain_error || time.count >= kTimesToReach) return time.above;
  return std::ranges::max(cell.times, {}, &CollectiveTime::above).above;
}

// Chooses one of these for each size of one operation.
std::vector<Choice> choose_ours(std::span<const CollectiveCell> cells) {
  std::vector<Choice> all;
  for (const CollectiveCell& cell : cells) {
    for (const CollectiveTime& time : cell.times) {
      if (is_library(time) || std::ranges::find(all, choice_of(time)) != all.end()) continue;
      all.push_back(choice_of(time));
    }
  }
  std::vector<std::vector<double>> costs;
  for (const CollectiveCell& cell : cells) {
    std::vector<double>& here = costs.emplace_back();
    for (const Choice& choice : all) {
      const CollectiveTime* time = time_of(choice, cell);
      here.push_back(time == nullptr ? std::numeric_limits<double>::infinity()
                                     : std::log(time->median_ns / best_in(cell)->median_ns) +
                                           kReachCounted * reach_of(*time, cell));
    }
  }
  std::vector<Choice> chosen;
  for (const std::size_t index : steady_path(costs, kWorthAChange)) chosen.push_back(all[index]);
  return chosen;
}

// How much faster our algorithm is than the MPI's own, as a logarithm; infinite if that was not
// measured.
double lead_of(const Choice& ours, const CollectiveCell& cell) {
  const CollectiveTime* library = library_in(cell);
  if (library == nullptr) return std::numeric_limits<double>::infinity();
  return std::log(library->median_ns / time_of(ours, cell)->median_ns);
}

// The least lead with which it takes the MPI's place.
double required_lead(const Choice& ours, const CollectiveCell& cell) {
  const CollectiveTime* library = library_in(cell);
  if (library == nullptr) return 0;
  const CollectiveTime& time = *time_of(ours, cell);
  const double chance = kOneSided * std::hypot(library->below, time.above);
  return std::max(std::log1p(kWorthActing), time.gain_error.value_or(chance));
}

// By how much the lead of ours exceeds the required one at each size. Between two sizes where ours
// is faster beyond chance, gaining more than kWorthActing is enough: one lost packet makes a few
// times say little of one size, but not of three in a row.
std::vector<double> gains_of(std::span<const Choice> ours, std::span<const CollectiveCell> cells) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    gains.push_back(lead_of(ours[i], cells[i]) - required_lead(ours[i], cells[i]));
  }
  const auto is_shown = [](double gain) { return gain > 0 && std::isfinite(gain); };
  std::vector<double> with_neighbors = gains;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    if (cells[i].gain_error || !is_shown(gains[i - 1]) || !is_shown(gains[i + 1])) continue;
    const double gain = lead_of(ours[i], cells[i]) - std::log1p(kWorthActing);
    with_neighbors[i] = std::max(gains[i], gain);
  }
  return with_neighbors;
}

// Replaces the algorithm by the MPI's own if ours does not gain; keeps our best segment.
Choice or_library(const Choice& ours, double gain) {
  if (gain > 0) return ours;
  return {std::string(kLibrary), ours.segment_bytes, ours.leaders};
}

// Where the choice changes between two sizes with these gains: at their geometric mean, or, between
// ours and the MPI's own, where the line between the two gains is 0. Predicted gains have no such
// line: ours ends at the last size that it was predicted to win.
std::uint64_t change_between(const CollectiveCell& last, double last_gain,
                             const CollectiveCell& next, double next_gain) {
  const bool acts_in_one = (last_gain > 0) != (next_gain > 0);
  if (acts_in_one && last.gain_error) {
    return last_gain > 0 ? last.size_bytes + 1 : next.size_bytes;
  }
  if (acts_in_one && last_gain == std::numeric_limits<double>::infinity())
    return last.size_bytes + 1;
  if (acts_in_one && next_gain == std::numeric_limits<double>::infinity()) return next.size_bytes;
  const double place = acts_in_one ? last_gain / (last_gain - next_gain) : 0.5;
  const auto last_bytes = static_cast<double>(last.size_bytes);
  const auto next_bytes = static_cast<double>(next.size_bytes);
  const auto change =
      static_cast<std::uint64_t>(std::round(last_bytes * std::pow(next_bytes / last_bytes, place)));
  return std::clamp(change, last.size_bytes + 1, next.size_bytes);
}

template <class One, class Other>
bool same_shape(const One& one, const Other& other) {
  return one.mpi == other.mpi && one.operation == other.operation && one.nodes == other.nodes &&
         one.ranks_per_node == other.ranks_per_node;
}

// Duration of the MPI's own over that of the rule's choice, in the geometric mean of the sizes that
// the rule applies to; 0 if nowhere both were measured.
double gain_of(const SegmentRule& rule, const std::vector<CollectiveCell>& cells) {
  double sum = 0;
  int count = 0;
  for (const CollectiveCell& cell : cells) {
    if (!rule.covers(cell.size_bytes)) continue;
    const CollectiveTime* library = library_in(cell);
    const CollectiveTime* chosen =
        rule.algorithm == kLibrary ? library : time_of(choice_of(rule), cell);
    if (library == nullptr || chosen == nullptr) continue;
    sum += std::log(library->median_ns / chosen->median_ns);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

void add_rules(const std::vector<CollectiveCell>& cells, const std::vector<Choice>& ours,
               std::vector<SegmentRule>* rules) {
  const std::vector<double> gains = gains_of(ours, cells);
  std::optional<Choice> before;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Choice choice = or_library(ours[i], gains[i]);
    if (before == choice) continue;
    SegmentRule rule{.operation = cells[i].operation,
                     .nodes = cells[i].nodes,
                     .ranks_per_node = cells[i].ranks_per_node,
                     .from_bytes = cells[i].size_bytes,
                     .segment_bytes = choice.segment_bytes,
                     .algorithm = choice.algorithm,
                     .leaders = choice.leaders,
                     .mpi = cells[i].mpi};
    if (before) {
      rule.from_bytes = change_between(cells[i - 1], gains[i - 1], cells[i], gains[i]);
      rules->back().to_bytes = rule.from_bytes;
    }
    rules->push_back(std::move(rule));
    before = choice;
  }
  // What was measured is believed of all larger sizes too; what was predicted, of those near.
  if (before && before->algorithm != kLibrary && cells.back().gain_error) {
    rules->back().to_bytes = kPredictedBeyond * cells.back().size_bytes + 1;
  }
}

}  // namespace

std::uint64_t message_bytes(const CollectiveCell& cell, std::string_view algorithm) {
  const auto ranks_per_node = static_cast<std::uint64_t>(cell.ranks_per_node);
  return cell.size_bytes * blocks_in_message(cell.operation, algorithm, ranks_per_node);
}

std::vector<CollectiveCell> collective_cells(std::span<const SampleSet> sets) {
  // The number of the MPI, operation, nodes, ranks per node, size.
  using Key = std::tuple<std::size_t, std::string, std::int64_t, std::int64_t, std::uint64_t>;
  using Way = std::tuple<std::string, std::uint64_t, std::int64_t>;
  std::map<Key, std::map<Way, std::vector<double>>> measured;
  const std::vector<std::string> mpis = mpis_of(sets);
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& c = sample.condition;
      if (!compares_algorithms(sample)) continue;
      const auto mpi = static_cast<std::size_t>(std::ranges::find(mpis, c.mpi) - mpis.begin());
      auto& times = measured[{mpi, c.operation, c.nodes, c.ranks_per_node, sample.size_bytes}]
                            [{c.algorithm, static_cast<std::uint64_t>(c.segment_bytes), c.leaders}];
      for (const Repetition& repetition : trusted(sample.repetitions)) {
        times.push_back(repetition.each_ns());
      }
    }
  }
  std::vector<CollectiveCell> cells;
  for (const auto& [key, ways] : measured) {
    CollectiveCell& cell = cells.emplace_back();
    std::size_t mpi = 0;
    std::tie(mpi, cell.operation, cell.nodes, cell.ranks_per_node, cell.size_bytes) = key;
    cell.mpi = mpis[mpi];
    for (const auto& [way, times] : ways) {
      if (times.empty()) continue;
      const auto& [algorithm, segment_bytes, leaders] = way;
      const Interval interval = median_interval(times);
      const double median_ns = median(times);
      cell.times.push_back({.algorithm = algorithm,
                            .segment_bytes = segment_bytes,
                            .leaders = leaders,
                            .median_ns = median_ns,
                            .below = std::log(median_ns / interval.low),
                            .above = std::log(interval.high / median_ns),
                            .count = times.size()});
    }
    std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
  }
  return cells;
}

std::vector<SegmentRule> derive_segments(std::span<const CollectiveCell> cells) {
  std::vector<SegmentRule> rules;
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    std::vector<CollectiveCell> alike;  // same operation and shape, ordered by size
    for (; end < cells.size() && same_shape(cells[begin], cells[end]); ++end) {
      if (best_in(cells[end]) != nullptr) alike.push_back(cells[end]);
    }
    const std::size_t first = rules.size();
    add_rules(alike, choose_ours(alike), &rules);
    for (SegmentRule& rule : std::span(rules).subspan(first)) rule.gain = gain_of(rule, alike);
  }
  return rules;
}

const CollectiveTime* chosen_time(std::span<const SegmentRule> rules, const CollectiveCell& cell) {
  for (const SegmentRule& rule : rules) {
    if (!same_shape(rule, cell) || !rule.covers(cell.size_bytes)) continue;
    const CollectiveTime* chosen =
        rule.algorithm == kLibrary ? library_in(cell) : time_of(choice_of(rule), cell);
    if (chosen != nullptr) return chosen;
  }
  return nullptr;
}

std::optional<double> regret(std::span<const SegmentRule> rules, const CollectiveCell& cell) {
  const CollectiveTime* chosen = chosen_time(rules, cell);
  if (chosen == nullptr) return std::nullopt;
  return chosen->median_ns / cell.times.front().median_ns - 1;
}

}  // namespace nmt::tuner
