// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/limit_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <span>

#include "core/method.h"
#include "core/units.h"
#include "tools/stack/stack_recorder.h"

namespace nmt::tools {
namespace {

// 0 where the first launch found none.
std::uint64_t own_bytes_max(const sampler::LaunchedRound& first, stacks::Transport transport) {
  std::uint64_t bytes = 0;
  for (const sampler::LaunchRound::Eager& usual : first.timings.eager) {
    if (first.transport_of(usual.placement) == transport) bytes = std::max(bytes, usual.bytes_max);
  }
  return bytes;
}

}  // namespace

std::vector<stacks::Transport> transports_of(const sampler::LaunchedRound& first) {
  std::vector<stacks::Transport> all;
  for (const sampler::LaunchRound::Eager& eager : first.timings.eager) {
    all.push_back(first.transport_of(eager.placement));
  }
  return all;
}

std::uint64_t forced_bytes_max(const sampler::LaunchedRound& first, stacks::Transport transport) {
  return std::max(stacks::forced_eager_bytes_max(transport),
                  std::bit_ceil(own_bytes_max(first, transport) + 1));
}

stacks::StackTimes LimitCandidates::forced(stacks::Transport transport,
                                           std::string_view method) const {
  const std::uint64_t most_bytes = forced_bytes_max(first_, transport);
  stacks::StackTimes all;
  for (const stacks::StackSamples& samples : samples_) {
    if (transport_of(samples) != transport) continue;
    for (const auto& [key, times] : samples.times) {
      if (key.method != method) continue;
      for (const auto& [size_bytes, rounds] : times) {
        if (size_bytes <= most_bytes) all[size_bytes] = rounds;
      }
    }
  }
  return all;
}

stacks::StackProtocols LimitCandidates::both_ways(stacks::Transport transport) const {
  return {forced(transport, to_string(Method::kCopy)),
          forced(transport, to_string(Method::kRendezvous))};
}

std::uint64_t LimitCandidates::header(stacks::Transport transport) const {
  return sampler::header_bytes(stack_, first_, transport);
}

Fields LimitCandidates::eager_up_to(stacks::Transport transport, std::uint64_t bytes) const {
  return stack_.eager_up_to(transport, std::max<std::uint64_t>(bytes, 1), header(transport));
}

std::string LimitCandidates::setting_of(stacks::Transport transport) const {
  return eager_up_to(transport, 1).begin()->first;
}

std::vector<Fields> LimitCandidates::best(
    const std::function<void(const std::string&)>& notice) const {
  std::vector<Fields> limits;
  std::map<std::string, std::vector<stacks::Transport>> sharing;  // by setting
  const auto add = [&](std::span<const stacks::Transport> some) {
    std::vector<stacks::StackProtocols> measured;
    for (const stacks::Transport transport : some) measured.push_back(both_ways(transport));
    const auto found = stacks::choose_threshold(measured);
    if (!found) return;
    limits.push_back(eager_up_to(some.front(), found->eager_bytes_max));
    if (some.size() < 2) return;
    notice(fmt::format(
        "{} is one setting for {} transports: {} costs them {} together, and is tried as well",
        limits.back().begin()->first, some.size(), stacks::to_variant(limits.back()),
        format_fraction(found->regret)));
  };
  for (const stacks::Transport transport : transports_of(first_)) {
    add(std::array{transport});
    sharing[setting_of(transport)].push_back(transport);
  }
  for (const auto& [setting, some] : sharing) {
    if (some.size() > 1) add(some);
  }
  return limits;
}

LimitCandidates::Trial LimitCandidates::trial_of(stacks::Transport transport,
                                                 const Fields& limit) const {
  const auto& [name, value] = *limit.begin();
  Trial trial;
  for (const stacks::StackSamples& samples : samples_) {
    if (transport_of(samples) != transport) continue;
    for (const auto& [key, times] : samples.times) {
      const Fields settings = stacks::from_variant(key.variant);
      const auto set = settings.find(name);
      if (!key.method.empty() || set == settings.end() || set->second != value) continue;
      stacks::StackKey own = key;
      own.variant = stacks::to_variant(stacks::without_group(settings, stacks::group_of(name)));
      trial.tried = times;
      if (samples.times.contains(own)) trial.own = samples.times.at(own);
    }
  }
  const std::uint64_t own_bytes = own_bytes_max(first_, transport);
  const std::uint64_t tried_bytes =
      stacks::eager_bytes_under(stack_, transport, value, header(transport));
  trial.is_raised = tried_bytes > own_bytes;
  const auto is_elsewhere = [&](const auto& size) {
    return size.first <= std::min(own_bytes, tried_bytes) ||
           size.first > std::max(own_bytes, tried_bytes);
  };
  std::erase_if(trial.own, is_elsewhere);
  std::erase_if(trial.tried, is_elsewhere);
  return trial;
}

// With its regret. Of transports that share the setting, sizes count that were sent both ways on
// all.
std::optional<std::pair<double, Fields>> LimitCandidates::nearer(const Fields& tried) const {
  std::vector<stacks::Transport> sharing;
  std::vector<Trial> trials;
  for (const stacks::Transport transport : transports_of(first_)) {
    if (setting_of(transport) != tried.begin()->first) continue;
    sharing.push_back(transport);
    trials.push_back(trial_of(transport, tried));
  }
  std::vector<std::uint64_t> sizes_bytes;
  for (const auto& [size, rounds] : trials.front().own) {
    const std::uint64_t size_bytes = size;
    const bool on_all = std::ranges::all_of(trials, [&](const Trial& each) {
      return each.own.contains(size_bytes) && each.tried.contains(size_bytes);
    });
    if (on_all) sizes_bytes.push_back(size_bytes);
  }
  bool has_lost = false;
  std::vector<stacks::StackProtocols> sent;
  for (const Trial& each : trials) {
    has_lost = has_lost || !stacks::losses_in(each.own, each.tried, sizes_bytes).empty();
    stacks::StackProtocols& both = sent.emplace_back();
    for (const std::uint64_t size_bytes : sizes_bytes) {
      both.eager[size_bytes] = (each.is_raised ? each.tried : each.own).at(size_bytes);
      both.rendezvous[size_bytes] = (each.is_raised ? each.own : each.tried).at(size_bytes);
    }
  }
  const auto found = stacks::choose_threshold(sent);
  if (!has_lost || !found) return std::nullopt;
  if (found->eager_bytes_max == 0 || found->eager_bytes_max >= sizes_bytes.back()) {
    return std::nullopt;
  }
  return std::pair(found->regret, eager_up_to(sharing.front(), found->eager_bytes_max));
}

std::vector<Fields> LimitCandidates::nearer(const std::vector<Fields>& tried) const {
  std::set<std::string> kept;  // groups
  for (const stacks::GroupVerdict& verdict : stacks::judge_groups(samples_)) {
    if (verdict.kept) kept.insert(verdict.group);
  }
  std::map<std::string, std::pair<double, Fields>> least;  // by setting
  for (const Fields& limit : tried) {
    const std::string& setting = limit.begin()->first;
    if (kept.contains(stacks::group_of(setting))) continue;
    const auto found = nearer(limit);
    if (!found || std::ranges::find(tried, found->second) != tried.end()) continue;
    const auto known = least.emplace(setting, *found).first;
    if (found->first < known->second.first) known->second = *found;
  }
  std::vector<Fields> limits;
  for (const auto& [setting, found] : least) limits.push_back(found.second);
  return limits;
}

}  // namespace nmt::tools
