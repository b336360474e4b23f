// SPDX-License-Identifier: BSD-3-Clause
#include "core/drift.h"

#include <cmath>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt {
namespace {

struct Entry {
  std::size_t cell = 0;
  std::uint32_t group = 0;
  double log_ns = 0;
};

// Entries of the cells that several groups share: only they can tell groups apart.
std::vector<Entry> shared_entries(std::span<const GroupedDuration> durations) {
  std::map<std::size_t, std::size_t> groups_of_cell;
  for (const GroupedDuration& duration : durations) ++groups_of_cell[duration.cell];
  std::vector<Entry> entries;
  for (const GroupedDuration& duration : durations) {
    NMT_CHECK(duration.duration_ns > 0);
    if (groups_of_cell[duration.cell] < 2) continue;
    entries.push_back({duration.cell, duration.group, std::log(duration.duration_ns)});
  }
  return entries;
}

// Per key of an entry, the median of what is left of its entries.
template <class Key, class KeyOf, class RestOf>
std::map<Key, double> medians_by(std::span<const Entry> entries, KeyOf key_of, RestOf rest_of) {
  std::map<Key, std::vector<double>> rests;
  for (const Entry& entry : entries) rests[key_of(entry)].push_back(rest_of(entry));
  std::map<Key, double> medians;
  for (const auto& [key, values] : rests) medians[key] = median(values);
  return medians;
}

}  // namespace

std::map<std::uint32_t, double> common_factors(std::span<const GroupedDuration> durations) {
  const std::vector<Entry> entries = shared_entries(durations);
  if (entries.empty()) return {};
  std::map<std::uint32_t, double> group_log;
  for (const Entry& entry : entries) group_log[entry.group] = 0;

  // No pass increases the sum of absolute residuals; a few settle it far below a median's noise.
  constexpr int kPasses = 10;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto cell_log = medians_by<std::size_t>(
        entries, [](const Entry& e) { return e.cell; },
        [&](const Entry& e) { return e.log_ns - group_log.at(e.group); });
    group_log = medians_by<std::uint32_t>(
        entries, [](const Entry& e) { return e.group; },
        [&](const Entry& e) { return e.log_ns - cell_log.at(e.cell); });
  }

  std::vector<double> logs;
  for (const auto& [group, log] : group_log) logs.push_back(log);
  const double usual = median(logs);
  std::map<std::uint32_t, double> factors;
  for (const auto& [group, log] : group_log) factors[group] = std::exp(log - usual);
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
  for (const auto& [round, factor] : common_factors(durations)) factors[round] = factor;
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
