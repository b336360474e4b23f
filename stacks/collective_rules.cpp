// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/collective_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/units.h"
#include "stacks/collective_winners.h"
#include "stacks/settings.h"
#include "stacks/withdrawn_rules.h"

namespace nmt::stacks {
namespace {

std::optional<int> number_of(const TunedOperation& operation, const std::string& algorithm) {
  const auto found = std::ranges::find(operation.algorithms, algorithm);
  if (found == operation.algorithms.end()) return std::nullopt;
  return static_cast<int>(found - operation.algorithms.begin());
}

std::vector<TunedRule> rules_from(const TunedOperation& operation, std::int64_t ranks,
                                  const Winners& winners) {
  const std::uint64_t unit = operation.total ? static_cast<std::uint64_t>(ranks) : 1;
  std::vector<TunedRule> rules;
  double last_bytes = 0;
  for (const auto& [size_bytes, winner] : winners) {
    const auto here = static_cast<double>(size_bytes);
    const double boundary = rules.empty() ? 0 : std::ceil(std::sqrt(last_bytes * here));
    TunedRule rule{.size_bytes = static_cast<std::uint64_t>(boundary) * unit};
    if (const auto number = number_of(operation, winner.algorithm)) {  // else a component's choice
      rule.algorithm = *number;
      rule.segment_bytes = static_cast<std::uint64_t>(winner.segment_bytes);
    }
    const bool same = !rules.empty() && rules.back().algorithm == rule.algorithm &&
                      rules.back().segment_bytes == rule.segment_bytes;
    if (!same) rules.push_back(rule);
    last_bytes = here;
  }
  return rules;
}

std::string note_on(const RuledOperation& which, const Winners& winners) {
  double sum = 0;
  std::size_t better = 0;
  const auto* most = &*winners.begin();
  for (const auto& each : winners) {
    if (each.second.algorithm == kOwnChoice) continue;
    ++better;
    sum += std::log(each.second.gain.value);
    if (each.second.gain.value > most->second.gain.value) most = &each;
  }
  if (better == 0) {
    return fmt::format(
        "left out: {} on {} ranks: no algorithm is measurably better than the library's own choice "
        "at any of {} sizes",
        which.first, which.second, winners.size());
  }
  return fmt::format(
      "{} on {} ranks: rules at {} of {} sizes, {:.2f} times as fast there, most at "
      "{} ({}: {:.2f}, {:.2f} to {:.2f}); replaces the library's own choice",
      which.first, which.second, better, winners.size(),
      std::exp(sum / static_cast<double>(better)), format_bytes(most->first),
      most->second.algorithm, most->second.gain.value, most->second.gain.low,
      std::min(most->second.gain.high, 99.99));
}

}  // namespace

RuleChoice choose_rules(std::span<const StackSamples> samples) {
  RuleChoice choice;
  std::map<RuledOperation, Winners> all;
  std::map<RuledOperation, const StackSamples*> sources;
  Segments segments;
  Comparisons comparisons;
  const bool by_numbers = !samples.empty() && samples.front().rail.starts_with("openmpi/");
  for (const StackSamples& each : samples) {  // newest first
    const Segments here = han_segments_in(each);
    for (auto& [which, winners] : winners_of(each, here)) {
      if (!all.try_emplace(which, std::move(winners)).second) continue;
      sources[which] = &each;
      const auto segment = here.find(which.first);
      if (segment != here.end()) segments.insert(*segment);
    }
    add_comparisons(each, all, &comparisons);
  }
  const auto withdrawn = withdraw(comparisons, sources, &segments, &all);
  for (const auto& [which, winners] : all) {
    const TunedOperation* operation = find_tuned_operation(which.first);
    if (operation == nullptr || winners.empty()) continue;
    const std::vector<std::string>& why = withdrawn.at(which);
    if (why.empty() || has_rule(winners)) choice.notes.push_back(note_on(which, winners));
    choice.notes.insert(choice.notes.end(), why.begin(), why.end());
    for (const auto& [size_bytes, winner] : winners) {
      choice.cells.push_back({which.first, which.second, size_bytes, winner.algorithm, winner.gain,
                              winner.best_gain, winner.ranks_per_node, winner.segment_bytes,
                              winner.mpi, winner.component_gain});
    }
    if (!by_numbers) continue;
    std::vector<TunedRule> rules = rules_from(*operation, which.second, winners);
    auto& sizes = choice.rules[which.first];
    sizes[static_cast<int>(which.second)] = std::move(rules);
  }
  const std::set<std::string> ruled = ruled_operations(choice.cells);
  for (const auto& segment : segments) {
    const bool wins = std::ranges::any_of(choice.cells, [&](const RuledCell& cell) {
      return cell.operation == segment.first && cell.algorithm == kHanComponent;
    });
    if (!wins) continue;
    choice.han_segments[fmt::format("coll_han_{}_segsize", segment.first)] =
        std::to_string(segment.second);
  }
  std::erase_if(choice.rules, [&](const auto& each) { return !ruled.contains(each.first); });
  for (auto& [name, sizes] : choice.rules) {
    const int largest = sizes.rbegin()->first;
    if (sizes.begin()->first > 1) sizes[1] = {TunedRule{}};
    sizes[2 * largest] = {TunedRule{}};
  }
  return choice;
}

bool has_rules_for(std::span<const RuledCell> cells, std::string_view operation,
                   std::int64_t ranks) {
  std::int64_t nearest = 0, most = 0;
  for (const RuledCell& cell : cells) {
    if (cell.operation != operation) continue;
    if (cell.ranks <= ranks) nearest = std::max(nearest, cell.ranks);
    most = std::max(most, cell.ranks);
  }
  return ranks < 2 * most && std::ranges::any_of(cells, [&](const RuledCell& cell) {
           return cell.operation == operation && cell.ranks == nearest &&
                  cell.algorithm != kOwnChoice;
         });
}

std::set<std::string> ruled_operations(std::span<const RuledCell> cells) {
  std::set<std::string> operations;
  for (const RuledCell& cell : cells) {
    if (cell.algorithm != kOwnChoice) operations.insert(cell.operation);
  }
  return operations;
}

}  // namespace nmt::stacks
