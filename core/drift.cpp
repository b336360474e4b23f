// SPDX-License-Identifier: BSD-3-Clause
#include "core/drift.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt {
namespace {

// log of one cell's median duration in one round.
struct Entry {
  std::size_t cell = 0;
  std::uint32_t round = 0;
  double log_ns = 0;
};

// Entries of the cells that were measured in several rounds: only they can tell rounds apart.
std::vector<Entry> shared_entries(std::span<const Sample> samples) {
  std::vector<Entry> entries;
  for (std::size_t cell = 0; cell < samples.size(); ++cell) {
    const std::vector<RoundDurations> rounds = by_round(samples[cell], {});
    if (rounds.size() < 2) continue;
    for (const RoundDurations& round : rounds) {
      if (round.median_ns > 0) entries.push_back({cell, round.round, std::log(round.median_ns)});
    }
  }
  return entries;
}

// For each group that `group_of` names, the median of what `rest_of` leaves of its entries.
template <class Group, class GroupOf, class RestOf>
std::map<Group, double> group_medians(std::span<const Entry> entries, GroupOf group_of,
                                      RestOf rest_of) {
  std::map<Group, std::vector<double>> groups;
  for (const Entry& entry : entries) groups[group_of(entry)].push_back(rest_of(entry));
  std::map<Group, double> medians;
  for (const auto& [group, values] : groups) medians[group] = median(values);
  return medians;
}

}  // namespace

DriftFactors estimate_drift(std::span<const Sample> samples) {
  const std::vector<Entry> entries = shared_entries(samples);
  std::map<std::uint32_t, double> round_log;
  for (const Entry& entry : entries) round_log[entry.round] = 0;

  // Each pass cannot increase the sum of absolute residuals; a few passes settle it to far below
  // the noise of a median.
  constexpr int kPasses = 10;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto cell_log = group_medians<std::size_t>(
        entries, [](const Entry& e) { return e.cell; },
        [&](const Entry& e) { return e.log_ns - round_log.at(e.round); });
    round_log = group_medians<std::uint32_t>(
        entries, [](const Entry& e) { return e.round; },
        [&](const Entry& e) { return e.log_ns - cell_log.at(e.cell); });
  }

  DriftFactors factors;
  for (const Sample& sample : samples) {
    for (const Repetition& repetition : sample.repetitions) factors[repetition.round] = 1;
  }
  if (round_log.empty()) return factors;
  std::vector<double> logs;
  for (const auto& [round, log] : round_log) logs.push_back(log);
  const double usual = median(logs);
  for (const auto& [round, log] : round_log) factors[round] = std::exp(log - usual);
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
