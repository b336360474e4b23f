// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/checked_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/effect.h"
#include "core/error.h"
#include "core/statistics.h"
#include "tools/command/this_machine.h"

namespace nmt::tools {
namespace {

void add(const SampleSet& set, Baseline* baseline) {
  for (const Sample& sample : set.samples) {
    const Condition& c = sample.condition;
    const std::vector<Repetition> repetitions = trusted(sample.repetitions);
    if (sample.held_out || c.benchmark != benchmark::kTransfer || c.regime != "hot" ||
        !c.is_alone() || repetitions.empty()) {
      continue;
    }
    std::vector<double> durations_ns;
    for (const Repetition& each : repetitions) durations_ns.push_back(each.each_ns());
    CellBaseline& cell = (*baseline)[{c.method, c.variant, sample.size_bytes}];
    cell.launches_ns.push_back(median(durations_ns));
    cell.batch = std::max(1u, repetitions.front().batch);
  }
}

}  // namespace

CheckedProfile::CheckedProfile(const SampleOptions& options, const Invocation& invocation)
    : location_(profiledb::locate_for_reading(options.db)),
      db_(location_.file,
          {.notice = [invocation](const std::string& text) { invocation.notice(text); }}),
      here_(this_platform()) {
  std::optional<Effect> least;
  for (const Platform& platform : db_.platforms()) {
    const Effect effect = effect_of(differences(platform.fingerprint, here_.fingerprint));
    if (least && effect >= *least) continue;
    least = effect;
    platform_ = platform;
  }
  if (!least) {
    throw Error(Fault::kDatabase, location_.file + ": the profile is empty; run nmad-sample");
  }
  if (*least == Effect::kForeign) {
    throw Error(Fault::kStale,
                fmt::format("{}: measured on another platform, so there is nothing to compare "
                            "with; nmad-tune check says what differs",
                            location_.file));
  }
  names_ = db_.path_names();
  sets_ = all_launches();
  plan_ = db_.plan(platform_.id);
}

Baseline CheckedProfile::baseline(const std::string& rail, const std::string& peer) const {
  Baseline own, others;
  const std::string host = this_node().host;
  for (const SampleSet& set : sets_) {
    const auto found = names_.find(set.path.id);
    if (found == names_.end() || found->second.rail != rail || !set.others.empty()) continue;
    const PathName& name = found->second;
    if (name.peer.empty() != peer.empty()) continue;
    const bool same =
        (name.node == host && name.peer == peer) || (name.peer == host && name.node == peer);
    add(set, same ? &own : &others);
  }
  return own.empty() ? others : own;
}

std::vector<std::pair<std::string, std::uint64_t>> CheckedProfile::thresholds(
    const std::string& rail) const {
  std::vector<std::pair<std::string, std::uint64_t>> found;
  if (!plan_) return found;
  for (const RailPlan& each : plan_->rails) {
    if (each.rail != rail || each.regime != "hot" || !each.is_alone()) continue;
    for (const Threshold& threshold : each.thresholds) {
      if (threshold.kind == DecisionKind::kAggregation || !threshold.bytes) continue;
      found.emplace_back(std::string(to_string(threshold.kind)), *threshold.bytes);
    }
    return found;
  }
  return found;
}

std::vector<SampleSet> CheckedProfile::all_launches() const {
  std::vector<SampleSet> sets;
  for (const Campaign& campaign : db_.campaigns(platform_.id)) {
    if (!campaign.complete) continue;
    for (SampleSet& set : db_.sample_sets(campaign.id)) sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace nmt::tools
