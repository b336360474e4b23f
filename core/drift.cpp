// SPDX-License-Identifier: BSD-3-Clause
#include "core/drift.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt {
namespace {

struct Entry {
  std::size_t cell = 0;
  std::size_t group = 0;
  double log_ns = 0;
};

// Indices of keys in order of their first appearance.
template <class Key>
class Indices {
 public:
  std::size_t operator[](const Key& key) {
    const auto [entry, added] = index_.try_emplace(key, keys_.size());
    if (added) keys_.push_back(key);
    return entry->second;
  }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  std::map<Key, std::size_t> index_;
  std::vector<Key> keys_;
};

// One step towards the Huber location of what `fixed` leaves of each entry, for the effects that
// `moves` names: a mean in which a deviation beyond kLarge counts as kLarge. Returns the largest
// move.
double improve(std::span<const Entry> entries, std::size_t Entry::*moves, std::size_t Entry::*stays,
               const std::vector<double>& fixed, std::vector<double>& effects) {
  constexpr double kLarge = 0.05;  // of a logarithm: between noise and what drift can be
  std::vector<double> sums(effects.size());
  std::vector<double> weights(effects.size());
  for (const Entry& entry : entries) {
    const double rest = entry.log_ns - fixed[entry.*stays];
    const double deviation = std::abs(rest - effects[entry.*moves]);
    const double weight = deviation > kLarge ? kLarge / deviation : 1;
    sums[entry.*moves] += weight * rest;
    weights[entry.*moves] += weight;
  }
  double largest = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double improved = sums[i] / weights[i];
    largest = std::max(largest, std::abs(improved - effects[i]));
    effects[i] = improved;
  }
  return largest;
}

// Logarithms of one cell's durations, drift removed, by round.
using DriftlessLogs = std::map<std::uint32_t, double>;

std::map<std::size_t, DriftlessLogs> without_drift(std::span<const GroupedDuration> durations,
                                                   const DriftFactors& factors) {
  std::map<std::size_t, DriftlessLogs> cells;
  for (const GroupedDuration& each : durations) {
    const auto known = factors.find(each.group);
    if (known == factors.end()) continue;
    cells[each.cell][each.group] = std::log(each.duration_ns / known->second);
  }
  return cells;
}

// Distance between each round's cells and the median of the same cells in other rounds.
std::map<std::uint32_t, std::vector<double>> disagreements(
    const std::map<std::size_t, DriftlessLogs>& cells) {
  std::map<std::uint32_t, std::vector<double>> by_round;
  for (const auto& [cell, logs] : cells) {
    if (logs.size() < 2) continue;
    for (const auto& [round, log] : logs) {
      std::vector<double> others;
      for (const auto& [other, other_log] : logs) {
        if (other != round) others.push_back(other_log);
      }
      by_round[round].push_back(std::abs(log - median(others)));
    }
  }
  return by_round;
}

// Whether the factor is small enough to be drift of a machine.
bool is_drift(double factor) {
  constexpr double kDriftMax = 1.5;
  return factor <= kDriftMax && factor >= 1 / kDriftMax;
}

// Whether the cells of a round agree on its factor. If only waking up took longer, only small
// messages are slower, and their factor must not be applied to the large ones.
bool agree(const std::vector<double>& disagreements) {
  constexpr double kDisagreementMax = 0.1;
  return disagreements.empty() || median(disagreements) <= kDisagreementMax;
}

}  // namespace

std::map<std::uint32_t, double> common_factors(std::span<const GroupedDuration> durations) {
  std::map<std::size_t, std::size_t> groups_of_cell;
  for (const GroupedDuration& duration : durations) ++groups_of_cell[duration.cell];
  Indices<std::size_t> cells;
  Indices<std::uint32_t> groups;
  std::vector<Entry> entries;
  for (const GroupedDuration& duration : durations) {
    NMT_CHECK(duration.duration_ns > 0);
    if (groups_of_cell[duration.cell] < 2) continue;  // cannot compare groups
    entries.push_back(
        {cells[duration.cell], groups[duration.group], std::log(duration.duration_ns)});
  }
  if (entries.empty()) return {};

  // The loss is convex and smooth and no step increases it, so the steps end at its minimum.
  constexpr int kStepsMax = 1000;
  constexpr double kSettled = 1e-8;
  std::vector<double> cell_logs(cells.keys().size());
  std::vector<double> group_logs(groups.keys().size());
  for (const Entry& entry : entries) cell_logs[entry.cell] = entry.log_ns;
  for (int step = 0; step < kStepsMax; ++step) {
    improve(entries, &Entry::cell, &Entry::group, group_logs, cell_logs);
    if (improve(entries, &Entry::group, &Entry::cell, cell_logs, group_logs) < kSettled) break;
  }

  const double usual = median(group_logs);
  std::map<std::uint32_t, double> factors;
  for (std::size_t i = 0; i < group_logs.size(); ++i) {
    factors[groups.keys()[i]] = std::exp(group_logs[i] - usual);
  }
  return factors;
}

DriftFactors estimate_drift(std::span<const Sample> samples) {
  std::vector<GroupedDuration> durations;
  DriftFactors factors;
  for (std::size_t cell = 0; cell < samples.size(); ++cell) {
    for (const RoundDurations& round : by_round(samples[cell], {})) {
      if (round.median_ns > 0) durations.push_back({cell, round.round, round.median_ns});
    }
    for (const Repetition& repetition : samples[cell].repetitions) factors[repetition.round] = 1;
  }
  const DriftFactors common = common_factors(durations);
  std::map<std::uint32_t, std::vector<double>> apart =
      disagreements(without_drift(durations, common));
  for (const auto& [round, factor] : common) {
    if (is_drift(factor) && agree(apart[round])) factors[round] = factor;
  }
  return factors;
}

std::vector<RoundDurations> by_round(const Sample& sample, const DriftFactors& drift) {
  std::map<std::uint32_t, std::vector<double>> durations;
  for (const Repetition& repetition : trusted(sample.repetitions)) {
    durations[repetition.round].push_back(repetition.each_ns());
  }
  std::vector<RoundDurations> rounds;
  for (const auto& [round, values] : durations) {
    const auto factor = drift.find(round);
    const double slower = factor == drift.end() ? 1 : factor->second;
    rounds.push_back({round, median(values) / slower, values.size()});
  }
  return rounds;
}

}  // namespace nmt
