// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/speeds.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/error.h"
#include "core/statistics.h"

namespace nmt::tuner {
namespace {

std::vector<Sample> without_held_out(std::span<const Sample> samples) {
  std::vector<Sample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept),
               [](const Sample& sample) { return !sample.held_out; });
  return kept;
}

// Drift from all samples, scaled so that it agrees with the drift of the samples that were not held
// out: predictions come from those, so their usual speed is the reference.
DriftFactors drift_of_held_out(std::span<const Sample> samples, const DriftFactors& sampled) {
  DriftFactors all = estimate_drift(samples);
  std::vector<double> ratios;
  for (const auto& [round, factor] : sampled) ratios.push_back(all.at(round) / factor);
  if (ratios.empty()) return all;
  const double scale = median(ratios);
  for (auto& [round, factor] : all) factor /= scale;
  return all;
}

double typical_ns(const Sample& sample, const DriftFactors& drift) {
  std::vector<double> durations;
  for (const Repetition& repetition : trusted(sample.repetitions)) {
    durations.push_back(repetition.each_ns() / drift.at(repetition.round));
  }
  return durations.empty() ? 0 : median(durations);
}

// All transfers of a set are of as many ranks per node.
std::int64_t ranks_of(const SampleSet& set) {
  return set.samples.empty() ? 0 : set.samples.front().condition.ranks_per_node;
}

// Relative speeds of the sets of one path and number of ranks, `members`.
void estimate_sessions(std::span<const SampleSet> sets, std::span<const std::size_t> members,
                       std::vector<Speeds>& speeds) {
  std::map<std::pair<Condition, std::uint64_t>, std::size_t> cells;
  std::vector<GroupedDuration> durations;
  for (const std::size_t member : members) {
    for (const Sample& sample : sets[member].samples) {
      if (sample.held_out) continue;
      const double duration_ns = typical_ns(sample, speeds[member].sampled);
      if (duration_ns <= 0) continue;
      const auto cell = cells.try_emplace({sample.condition, sample.size_bytes}, cells.size());
      durations.push_back({cell.first->second, static_cast<std::uint32_t>(member), duration_ns});
    }
  }
  const std::map<std::uint32_t, double> factors = common_factors(durations);
  if (factors.empty()) return;
  std::vector<double> values;
  for (const auto& [member, factor] : factors) values.push_back(factor);
  const double centre = centre_of_sessions(values);
  for (const auto& [member, factor] : factors) speeds[member].session = factor / centre;
}

}  // namespace

// The midrange, (least + greatest) / 2. A launch's factor lies anywhere within a band around the
// rail's speed. For a band with sharp ends, the ends give the most information about its centre:
// the error of the midrange falls with 1/n, that of mean and median with 1/sqrt(n). For five
// launches uniform in 1 -+ 8 %, the 95th percentile of its error is 3.6 %, of the mean's 4.0 %, of
// the median's 5.7 %. Its weakness is a launch outside of any band, for example one that was
// disturbed all the time: such a launch is left out.
double centre_of_sessions(std::span<const double> factors) {
  constexpr double kBand = 0.25;  // machines drift by 5 to 11 %; more is no drift
  const double middle = median(factors);
  std::vector<double> within;
  for (const double factor : factors) {
    if (std::abs(factor / middle - 1) <= kBand) within.push_back(factor);
  }
  if (within.empty()) within.assign(factors.begin(), factors.end());
  const auto [least, greatest] = std::minmax_element(within.begin(), within.end());
  return (*least + *greatest) / 2;
}

std::vector<Speeds> estimate_speeds(std::span<const SampleSet> sets) {
  std::vector<Speeds> speeds(sets.size());
  std::map<std::pair<Id, std::int64_t>, std::vector<std::size_t>> members_of_path;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    speeds[i].sampled = estimate_drift(without_held_out(sets[i].samples));
    speeds[i].held_out = drift_of_held_out(sets[i].samples, speeds[i].sampled);
    members_of_path[{sets[i].path.id, ranks_of(sets[i])}].push_back(i);
  }
  for (const auto& [path, members] : members_of_path) estimate_sessions(sets, members, speeds);
  return speeds;
}

}  // namespace nmt::tuner
