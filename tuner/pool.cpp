// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/pool.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/method.h"
#include "core/statistics.h"
#include "tuner/speeds.h"

namespace nmt::tuner {
namespace {

// Whether curves are derived from it. Samples of collectives, and of benchmarks of later versions,
// have their own models.
bool is_transfer_benchmark(const std::string& name) {
  constexpr std::array kBenchmarks = {benchmark::kTransfer,   benchmark::kEager,
                                      benchmark::kTwoPackets, benchmark::kAggregate,
                                      benchmark::kMemcpy,     benchmark::kRegistration};
  return std::find(kBenchmarks.begin(), kBenchmarks.end(), name) != kBenchmarks.end();
}

void add(const Sample& sample, std::uint64_t set, const Speeds& speeds, RailSamples& rail) {
  const Condition& condition = sample.condition;
  const bool registers = condition.benchmark == benchmark::kRegistration;
  const CurveKey key{condition.benchmark, condition.method,
                     registers ? condition.registration : condition.variant};
  const DriftFactors& drift = sample.held_out ? speeds.held_out : speeds.sampled;
  Cells& cells = sample.held_out ? rail.held_out : rail.sampled;
  for (const Repetition& repetition : trusted(sample.repetitions)) {
    const double duration_ns = repetition.each_ns() / (drift.at(repetition.round) * speeds.session);
    if (duration_ns <= 0) continue;  // below the clock's resolution: useless for ratios
    const std::uint64_t round = set << 32 | repetition.round;
    cells[key][sample.size_bytes][round].push_back(duration_ns);
  }
}

}  // namespace

std::vector<RailSamples> pool(std::span<const SampleSet> sets) {
  using Key =
      std::tuple<std::string, std::int64_t, std::string, bool, std::string, std::string, Id>;
  std::map<Key, RailSamples> rails;
  const std::vector<Speeds> speeds = estimate_speeds(sets);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const Path& path = sets[set].path;
    const std::string name = path.from.full_name();
    for (const Sample& sample : sets[set].samples) {
      const Condition& c = sample.condition;
      if (!is_transfer_benchmark(c.benchmark)) continue;
      const std::int64_t ranks = std::max<std::int64_t>(c.ranks_per_node, 1);
      RailSamples& rail =
          rails[{name, ranks, c.busy_rails, c.regime != "hot", c.regime, c.placement, path.id}];
      rail.rail = name;
      rail.path = path.id;
      rail.regime = c.regime;
      rail.placement = c.placement;
      rail.busy_rails = c.busy_rails;
      rail.ranks_per_nic = ranks;
      add(sample, set, speeds[set], rail);
    }
  }
  std::vector<RailSamples> result;
  for (auto& [key, rail] : rails) result.push_back(std::move(rail));
  return result;
}

std::vector<double> all_durations(const Rounds& rounds) {
  std::vector<double> all;
  for (const auto& [round, durations] : rounds) {
    all.insert(all.end(), durations.begin(), durations.end());
  }
  return all;
}

}  // namespace nmt::tuner
