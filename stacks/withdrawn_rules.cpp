// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/withdrawn_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "stacks/settings.h"
#include "stacks/settings_choice.h"

namespace nmt::stacks {
namespace {

void leave_to_library(Winners* winners) {
  for (auto& each : *winners) leave_to_library(&each.second);
}

// Why rules are left out, a line each, and whether something lost that acts on all sizes and all
// numbers of ranks of the operation: that coll/han is asked first, or its segment.
struct Withdrawal {
  std::vector<std::string> why;
  bool of_operation = false;
};

// Each size has a rule of its own, so in doubt one that seems slower is left out. If something acts
// on `all_sizes`, one without a rule counts where it is slower with certainty.
Withdrawal withdraw(const Comparisons& comparisons, const RuledOperation& which, bool all_sizes,
                    Winners* winners) {
  Withdrawal withdrawal;
  if (!has_rule(*winners)) return withdrawal;
  const std::string begin = fmt::format("left out: {} on {} ranks: ", which.first, which.second);
  if (!comparisons.against_all.empty() && !comparisons.since_program.contains(which)) {
    leave_to_library(winners);
    withdrawal.why.push_back(begin + comparisons.against_all);
    return withdrawal;
  }
  const auto found = comparisons.all.find(which);
  if (found == comparisons.all.end()) return withdrawal;
  for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
    const Compared& each = *at;  // the oldest first: later ones had fewer rules
    std::vector<StackLoss> losses;
    std::vector<std::uint64_t> without_rule;
    for (auto& [size_bytes, winner] : *winners) {
      if (!each.without->contains(size_bytes) || !each.with->contains(size_bytes)) continue;
      if (winner.algorithm == kOwnChoice) {
        if (all_sizes) without_rule.push_back(size_bytes);
        continue;
      }
      const Ratio ratio = ratio_of(each.without->at(size_bytes), each.with->at(size_bytes));
      if (ratio.rounds == 0 || ratio.value >= 1 - kStackLoss) continue;
      if (winner.algorithm == kHanComponent && winner.segment_bytes > 0) {
        withdrawal.of_operation = true;
      }
      leave_to_library(&winner);
      losses.push_back({size_bytes, ratio});
    }
    for (const StackLoss& loss : losses_in(*each.without, *each.with, without_rule)) {
      withdrawal.of_operation = true;
      losses.push_back(loss);
    }
    if (losses.empty()) continue;
    std::vector<std::string> sizes;
    sizes.reserve(losses.size());
    for (const StackLoss& loss : losses) {
      sizes.push_back(fmt::format("{} at {}", format_fraction(1 / loss.ratio.value - 1),
                                  format_bytes(loss.size_bytes)));
    }
    withdrawal.why.push_back(fmt::format("{}slower by rules in nmad-tune ab of {}: {}", begin,
                                         each.started_utc, fmt::join(sizes, ", ")));
  }
  return withdrawal;
}

}  // namespace

void add_comparisons(const StackSamples& samples, const std::map<RuledOperation, Winners>& sampled,
                     Comparisons* comparisons) {
  for (const auto& [key, times] : samples.times) {
    const bool program = key.algorithm.empty() && !key.operation.empty();
    const Fields with = from_variant(key.variant);
    if (!program && key.algorithm != kOwnChoice) continue;
    if (of_group(with, kRulesGroup).empty()) continue;
    const RuledOperation which{key.operation, key.ranks};
    if (sampled.contains(which)) continue;
    StackKey reference = key;
    reference.variant = to_variant(without_group(with, kRulesGroup));
    const auto without = samples.times.find(reference);
    if (without == samples.times.end()) continue;
    const std::string& started_utc = samples.campaign.started_utc;
    if (!program) {
      comparisons->all[which].push_back({&without->second, &times, started_utc});
      continue;
    }
    constexpr std::uint64_t kOfAProgram[] = {0};  // its samples have no size
    if (!without->second.contains(0) || !times.contains(0)) continue;
    const std::vector<StackLoss> losses = losses_in(without->second, times, kOfAProgram);
    if (losses.empty() || !comparisons->against_all.empty()) continue;
    comparisons->against_all =
        fmt::format("rules were {} slower for '{}' in nmad-tune ab of {}",
                    format_fraction(1 / losses[0].ratio.value - 1), key.operation, started_utc);
    for (const auto& each : sampled) comparisons->since_program.insert(each.first);
  }
}

std::map<RuledOperation, std::vector<std::string>> withdraw(
    const Comparisons& comparisons, const std::map<RuledOperation, const StackSamples*>& sources,
    Segments* segments, std::map<RuledOperation, Winners>* all) {
  std::map<RuledOperation, std::vector<std::string>> why;
  std::set<std::string> lost, without_segment;
  const bool han_is_new = std::ranges::any_of(*all, [](const auto& each) {
    return std::ranges::any_of(each.second, [](const auto& size) {
      return size.second.algorithm == kHanComponent && size.second.segment_bytes == 0;
    });
  });
  for (auto& [which, winners] : *all) {
    const bool all_sizes = han_is_new || segments->contains(which.first);
    Withdrawal withdrawal = withdraw(comparisons, which, all_sizes, &winners);
    if (withdrawal.of_operation) lost.insert(which.first);
    why[which] = std::move(withdrawal.why);
  }
  for (const std::string& operation : lost) {
    if (segments->erase(operation) > 0) without_segment.insert(operation);
  }
  for (auto& [which, winners] : *all) {
    if (without_segment.contains(which.first)) {
      std::map<RuledOperation, Winners> others = winners_of(*sources.at(which), *segments);
      leave_to_library(&winners);
      if (others.contains(which)) winners = std::move(others.at(which));
      withdraw(comparisons, which, false, &winners);
    } else if (lost.contains(which.first) && has_rule(winners)) {
      leave_to_library(&winners);
      if (!why[which].empty()) continue;
      why[which].push_back(
          fmt::format("left out: {} on {} ranks: slower by rules on another number of ranks",
                      which.first, which.second));
    }
  }
  return why;
}

}  // namespace nmt::stacks
