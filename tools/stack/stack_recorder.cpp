// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/stack_recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/clock.h"
#include "core/method.h"
#include "core/statistics.h"
#include "tools/command/this_machine.h"
#include "tools/command/tune_profile.h"

namespace nmt::tools {

StackRecorder::StackRecorder(profiledb::ProfileDb& db, const sampler::StackJob& job,
                             const sampler::LaunchedRound& first, Fields options,
                             const Invocation& invocation)
    : db_(db), stack_(job.stack.name), platform_(db.ensure_platform(this_platform())) {
  here_ = db.ensure_node({.id = Id::random(), .host = first.hosts.front()}, platform_.id);
  there_ = first.hosts.size() < 2
               ? here_
               : db.ensure_node({.id = Id::random(), .host = first.hosts[1]}, platform_.id);
  options["stack"] = stack_;
  options["launcher"] = job.launcher;
  options["library"] = first.library;
  options["hosts"] = fmt::format("{}", fmt::join(first.hosts, ","));
  campaign_ = {.id = Id::random(),
               .platform = platform_.id,
               .started_utc = utc_now(),
               .tool_version = NMT_VERSION,
               .command_line = invocation.command_line,
               .options = std::move(options)};
  const RealClock clock;  // the same kind as the ranks' clocks
  session_ = {.id = Id::random(),
              .started_utc = campaign_.started_utc,
              .clock = clock.name(),
              .clock_cost_ns = clock.cost_ns(),
              .clock_resolution_ns = clock.resolution_ns()};
  db.begin_campaign(campaign_);
  db.begin_session(session_, campaign_.id);
}

void StackRecorder::add(const sampler::LaunchedRound& launched, const StackVariant& variant,
                        std::uint32_t round) {
  std::set<Cell> changed;
  Launch launch{.round = round};
  for (const sampler::LaunchRoundCell& cell : launched.timings.cells) {
    const stacks::Transport transport = launched.transport_of(cell.placement);
    const bool same_node = cell.placement == sampler::kSameNode;
    if (!variant.interface.empty() && same_node) continue;
    const Id path = path_of(std::string(to_string(transport)), variant.interface, same_node);
    Condition condition{
        .benchmark = std::string(benchmark::kStackMessage),
        .method = variant.method,
        .variant = stacks::to_variant(stacks::of_transport(transport, variant.settings)),
        .placement = cell.placement,
        .mpi = launched.library,
        .ranks = 2,
        .nodes = same_node ? 1 : 2};
    const Cell key{path, condition, cell.size_bytes};
    Sample& sample = samples_[key];
    sample.condition = condition;
    sample.size_bytes = cell.size_bytes;
    if (same_node) {
      launch.parts.push_back({key, sample.repetitions.size(), cell.totals_ns.size()});
    }
    for (const std::uint64_t total_ns : cell.totals_ns) {
      sample.repetitions.push_back({.total_ns = total_ns, .batch = cell.batch, .round = round});
    }
    repetitions_ += cell.totals_ns.size();
    changed.insert(key);
  }
  changed.merge(judge_states(launched.timings.core_exchanges_ns, std::move(launch)));
  store(changed);
}

std::set<StackRecorder::Cell> StackRecorder::judge_states(
    const std::vector<double>& core_exchanges_ns, Launch launch) {
  sampler::SentinelTimes times{};
  if (core_exchanges_ns.size() != times.size()) return {};
  std::ranges::transform(core_exchanges_ns, times.begin(), [](double ns) { return std::log(ns); });
  states_.add(times);
  launch.core_exchange_ns = core_exchanges_ns.back();
  launches_.push_back(std::move(launch));
  std::set<Cell> changed;
  const std::vector<bool> usual = states_.usual();
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    Launch& each = launches_[i];
    if (each.usual == usual[i]) continue;
    each.usual = usual[i];
    for (const Launch::Part& part : each.parts) {
      std::vector<Repetition>& repetitions = samples_.at(part.cell).repetitions;
      for (std::size_t k = 0; k < part.count; ++k) {
        repetitions[part.first + k].disturbed = !each.usual;
      }
      changed.insert(part.cell);
    }
  }
  return changed;
}

void StackRecorder::store(const std::set<Cell>& cells) {
  std::map<Id, std::vector<Sample>> by_path;
  for (const Cell& cell : cells) by_path[std::get<Id>(cell)].push_back(samples_.at(cell));
  for (const auto& [path, samples] : by_path) db_.store_samples(session_.id, path, samples);
}

std::size_t StackRecorder::moved_rounds(std::uint32_t from) const {
  std::set<std::uint32_t> moved;
  for (const Launch& each : launches_) {
    if (each.round >= from && !each.usual) moved.insert(each.round);
  }
  return moved.size();
}

double StackRecorder::core_exchange_ns() const {
  std::vector<double> usual_ns;
  for (const Launch& each : launches_) {
    if (each.usual) usual_ns.push_back(each.core_exchange_ns);
  }
  return usual_ns.empty() ? 0 : median(usual_ns);
}

void StackRecorder::add(const std::string& kind, const std::vector<Sample>& samples) {
  const Id path = path_of(kind, "", true);
  std::set<Cell> changed;
  for (const Sample& some : samples) {
    const Cell key{path, some.condition, some.size_bytes};
    Sample& sample = samples_[key];
    sample.condition = some.condition;
    sample.size_bytes = some.size_bytes;
    sample.repetitions.insert(sample.repetitions.end(), some.repetitions.begin(),
                              some.repetitions.end());
    repetitions_ += some.repetitions.size();
    changed.insert(key);
  }
  store(changed);
}

void StackRecorder::finish(bool complete, const std::string& remark) {
  campaign_.complete = complete;
  campaign_.remark = remark;
  if (complete) campaign_.finished_utc = utc_now();
  db_.finish_campaign(campaign_);
  // Plans do not contain these samples, but a plan lists the campaigns that it knows.
  if (db_.plan(platform_.id)) tune(db_, platform_.id);
}

std::vector<stacks::StackSamples> StackRecorder::samples() const {
  return stacks::stack_samples(stack_, db_.sample_sets(campaign_.id));
}

Id StackRecorder::path_of(const std::string& transport, const std::string& interface,
                          bool same_node) {
  const Rail rail{.driver = stack_ + "/" + transport, .name = interface, .fingerprint = {}};
  const auto known = paths_.find(rail.full_name());
  if (known != paths_.end()) return known->second;
  const Path path = db_.ensure_path({.id = Id::random(),
                                     .from_node = here_.id,
                                     .to_node = same_node ? here_.id : there_.id,
                                     .from = rail,
                                     .to = rail});
  return paths_[rail.full_name()] = path.id;
}

// Of rail "openmpi/tcp:r0", what stands behind the stack's name.
stacks::Transport transport_of(const stacks::StackSamples& samples) {
  std::string_view rail = samples.rail;
  rail.remove_prefix(std::min(rail.size(), rail.find('/') + 1));
  return stacks::parse_transport(rail.substr(0, rail.find(':'))).value_or(stacks::Transport::kTcp);
}

std::vector<stacks::StackSamples> read_stack_samples(const profiledb::ProfileDb& db,
                                                     const Id& platform, std::string_view stack) {
  std::vector<SampleSet> all;
  for (const Campaign& campaign : db.campaigns(platform)) {
    const auto about = campaign.options.find("stack");
    if (about == campaign.options.end() || about->second != stack || !campaign.complete) continue;
    for (SampleSet& set : db.sample_sets(campaign.id)) all.push_back(std::move(set));
  }
  return stacks::stack_samples(stack, all);
}

}  // namespace nmt::tools
