// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/derive.h"

#include <algorithm>
#include <map>

#include "core/statistics.h"
#include "core/units.h"
#include "tuner/curves.h"
#include "tuner/lent_thresholds.h"
#include "tuner/pool.h"
#include "tuner/predicted_segments.h"
#include "tuner/segments.h"
#include "tuner/thresholds.h"

namespace nmt::tuner {
namespace {

// The option of the path's newest campaign.
std::uint64_t max_unexpected_bytes(const Id& path, std::span<const SampleSet> sets,
                                   std::uint64_t otherwise) {
  std::uint64_t bytes = otherwise;
  std::string newest;
  for (const SampleSet& set : sets) {
    const auto option = set.campaign.options.find("max_unexpected_bytes");
    if (set.path.id != path || option == set.campaign.options.end()) continue;
    if (set.campaign.started_utc < newest) continue;
    newest = set.campaign.started_utc;
    bytes = parse_bytes(option->second);
  }
  return bytes;
}

// Decisions of the rail alone also hold beside busy rails, where only transfers are measured.
const std::vector<Threshold>* decided_alone(const Plan& plan, const RailPlan& rail) {
  for (const RailPlan& alone : plan.rails) {
    if (alone.busy_rails.empty() && alone.path == rail.path && alone.regime == rail.regime &&
        alone.placement == rail.placement && alone.ranks_per_nic == rail.ranks_per_nic) {
      return &alone.thresholds;
    }
  }
  return nullptr;
}

// By placement and by state of the other core, over all campaigns.
std::vector<OffloadCost> offload_costs(std::span<const SampleSet> sets) {
  std::map<std::pair<std::string, bool>, std::vector<Repetition>> measured;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& c = sample.condition;
      if (c.benchmark != benchmark::kOffload) continue;
      const bool spins = c.variant == offload::kSpinning;
      const std::string placement = spins ? c.placement + " spinning" : c.placement;
      auto& all = measured[{placement, c.variant == offload::kPreempting}];
      all.insert(all.end(), sample.repetitions.begin(), sample.repetitions.end());
    }
  }
  std::vector<OffloadCost> costs;
  for (const auto& [key, repetitions] : measured) {
    const Summary summary = summarize(repetitions);
    if (summary.n == 0) continue;
    costs.push_back({.placement = key.first,
                     .cost_ns = summary.median_ns,
                     .low_ns = summary.low_ns,
                     .high_ns = summary.high_ns,
                     .preempting = key.second});
  }
  return costs;
}

}  // namespace

Plan derive_plan(const Id& platform, std::span<const SampleSet> sets, const TuneOptions& options) {
  Plan plan{.platform = platform};
  for (const SampleSet& set : sets) {
    const Id& id = set.campaign.id;
    if (std::find(plan.campaigns.begin(), plan.campaigns.end(), id) == plan.campaigns.end()) {
      plan.campaigns.push_back(id);
    }
  }
  plan.offloads = offload_costs(sets);
  const std::vector<CollectiveCell> cells = collective_cells(sets);
  plan.segments = derive_segments(cells);
  for (SegmentRule& rule : predict_segments(cells)) plan.segments.push_back(std::move(rule));
  for (const RailSamples& samples : pool(sets)) {
    if (samples.sampled.empty()) continue;
    RailPlan rail{.rail = samples.rail,
                  .path = samples.path,
                  .regime = samples.regime,
                  .placement = samples.placement,
                  .busy_rails = samples.busy_rails,
                  .ranks_per_nic = samples.ranks_per_nic};
    rail.max_unexpected_bytes =
        max_unexpected_bytes(samples.path, sets, options.max_unexpected_bytes);
    rail.curves = make_curves(samples.sampled);
    const auto* alone = rail.busy_rails.empty() ? nullptr : decided_alone(plan, rail);
    rail.thresholds = alone != nullptr ? *alone
                                       : derive_thresholds(samples.sampled, rail.curves,
                                                           rail.max_unexpected_bytes, options.seed);
    plan.rails.push_back(std::move(rail));
  }
  lend_thresholds(&plan.rails);
  return plan;
}

}  // namespace nmt::tuner
