// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/journal.h"

#include <map>
#include <set>

namespace nmt::sampler {
namespace {

constexpr double kInterferenceMax = 0.03;  // share of a block

}  // namespace

bool is_disturbed(const node::Interference& interference, std::uint64_t elapsed_ns) {
  const double lost_ns =
      static_cast<double>(interference.run_delay_ns) + static_cast<double>(interference.steal_ns);
  return lost_ns > kInterferenceMax * static_cast<double>(elapsed_ns);
}

std::vector<Sample> Journal::add(std::uint32_t round, bool held_out, std::span<const Step> steps,
                                 const BlockResult& result,
                                 const std::optional<SentinelTimes>& sentinels) {
  Entry entry{.held_out = held_out,
              .interfered = is_disturbed(result.interference, result.elapsed_ns),
              .watched = sentinels.has_value()};
  entry.disturbed = entry.interfered;
  if (sentinels) state_.add(*sentinels);

  std::map<Experiment, std::vector<Repetition>> cells;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t batch = steps[i].batch * operations(steps[i].experiment);
    for (const std::uint64_t total_ns : result.totals_ns[i]) {
      cells[steps[i].experiment].push_back({total_ns, batch, round, entry.disturbed});
    }
  }
  const double delay_ns =
      static_cast<double>(result.interference.run_delay_ns) / static_cast<double>(cells.size());
  std::vector<Sample> now;
  for (const auto& [experiment, repetitions] : cells) {
    now.push_back(evidence_.add(experiment, held_out, repetitions, delay_ns));
    evidence_.note_guess(experiment, repetitions.back().each_ns());
    entry.parts.push_back(
        {experiment, now.back().repetitions.size() - repetitions.size(), repetitions.size()});
  }
  entries_.push_back(std::move(entry));
  return now;
}

std::vector<Sample> Journal::judge() {
  const std::vector<bool> usual = state_.usual();
  std::set<std::pair<Experiment, bool>> changed;
  std::size_t watched = 0;
  for (Entry& entry : entries_) {
    const bool unusual = entry.watched && !usual[watched];
    if (entry.watched) ++watched;
    entry.disturbed = entry.interfered || unusual;
    for (const Part& part : entry.parts) {
      if (evidence_.mark(part.experiment, entry.held_out, part.first, part.count,
                         entry.disturbed)) {
        changed.insert({part.experiment, entry.held_out});
      }
    }
  }
  std::vector<Sample> samples;
  for (const auto& [experiment, held_out] : changed) {
    samples.push_back(evidence_.sample(experiment, held_out));
  }
  return samples;
}

std::size_t Journal::repetitions() const {
  std::size_t count = 0;
  for (const Entry& entry : entries_) {
    for (const Part& part : entry.parts) count += part.count;
  }
  return count;
}

std::size_t Journal::disturbed_repetitions() const {
  std::size_t count = 0;
  for (const Entry& entry : entries_) {
    for (const Part& part : entry.parts) count += entry.disturbed ? part.count : 0;
  }
  return count;
}

}  // namespace nmt::sampler
