// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/collective_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/units.h"
#include "stacks/settings.h"
#include "stacks/settings_choice.h"

namespace nmt::stacks {
namespace {

struct Winner {
  std::string algorithm;  // kOwnChoice if none is measurably better
  std::int64_t segment_bytes = 0;
  Ratio gain;
  double best_gain = 1;
  std::int64_t ranks_per_node = 0;
  std::string mpi;
  double component_gain = 1;
};
using Winners = std::map<std::uint64_t, Winner>;  // by size of one rank

// One operation on one number of ranks.
using Which = std::pair<std::string, std::int64_t>;

StackKey own_choice_of(StackKey key) {
  key.algorithm = kOwnChoice;
  key.segment_bytes = 0;
  return key;
}

// Launches that were too few for a proof count as well.
bool may_lose(const ByRound& before, const ByRound& after) {
  const Ratio ratio = ratio_of(before, after);
  return ratio.value < 1 - kStackLoss && (ratio.high < 1 - kStackLoss || std::isinf(ratio.high));
}

// The segment of coll/han for each operation, where it is asked first and another segment than its
// own is measurably faster and nowhere slower: it has one for all sizes.
using Segments = std::map<std::string, std::int64_t>;
Segments han_segments_in(const StackSamples& samples) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<BeforeAfter>> tried;
  for (const auto& [key, times] : samples.times) {
    const auto own = samples.times.find(own_choice_of(key));
    if (key.algorithm != kHanComponent || key.segment_bytes == 0) continue;
    if (own == samples.times.end()) continue;
    for (const auto& [size_bytes, rounds] : times) {
      const auto before = own->second.find(size_bytes);
      if (before == own->second.end()) continue;
      tried[{key.operation, key.segment_bytes}].emplace_back(&before->second, &rounds);
    }
  }
  Segments segments;
  std::map<std::string, double> gains;
  for (const auto& [which, cells] : tried) {
    const Ratio gain = ratio_over(cells);
    const bool loses = std::ranges::any_of(
        cells, [](const BeforeAfter& cell) { return may_lose(*cell.first, *cell.second); });
    if (loses || !gain.faster() || gain.value < 1 + kStackLoss) continue;
    if (gain.value <= gains[which.first]) continue;
    gains[which.first] = gain.value;
    segments[which.first] = which.second;
  }
  return segments;
}

std::map<Which, Winners> winners_of(const StackSamples& samples, const Segments& segments) {
  std::map<Which, Winners> all;
  for (const auto& [key, times] : samples.times) {
    if (key.algorithm.empty() || key.algorithm == kOwnChoice) continue;
    if (key.algorithm == kHanComponent && key.segment_bytes > 0) {
      const auto segment = segments.find(key.operation);
      if (segment == segments.end() || segment->second != key.segment_bytes) continue;
    }
    const StackKey reference = own_choice_of(key);
    const auto own = samples.times.find(reference);
    if (own == samples.times.end()) continue;
    Winners& winners = all[{key.operation, key.ranks}];
    for (const auto& [size_bytes, rounds] : times) {
      Winner& winner =
          winners
              .try_emplace(
                  size_bytes,
                  Winner{std::string(kOwnChoice), 0, {}, 1, key.ranks_per_node, samples.mpi, 1})
              .first->second;
      const auto before = own->second.find(size_bytes);
      if (before == own->second.end()) continue;
      const Ratio gain = ratio_of(before->second, rounds);
      winner.best_gain = std::max(winner.best_gain, gain.value);
      const bool component = key.algorithm == kTunedComponent || key.algorithm == kHanComponent;
      if (component && key.segment_bytes == 0) {
        winner.component_gain = std::max(winner.component_gain, gain.value);
      }
      const bool pays = gain.faster() && gain.value > 1 + kStackLoss;
      if (!pays || gain.value <= winner.gain.value) continue;
      winner.algorithm = key.algorithm;
      winner.segment_bytes = key.segment_bytes;
      winner.gain = gain;
      winner.ranks_per_node = key.ranks_per_node;
    }
  }
  return all;
}

// Launches without the rules and with them, in turns.
struct Compared {
  const StackTimes* without;
  const StackTimes* with;
  std::string started_utc;
};
struct Comparisons {
  std::map<Which, std::vector<Compared>> all;  // newest first
  std::string against_all;  // a program was slower with all rules of that time, with certainty
  std::set<Which> since_program;  // sampled after that
};

// `sampled`: since then, so they have other rules now.
void add_comparisons(const StackSamples& samples, const std::map<Which, Winners>& sampled,
                     Comparisons* comparisons) {
  for (const auto& [key, times] : samples.times) {
    const bool program = key.algorithm.empty() && !key.operation.empty();
    const Fields with = from_variant(key.variant);
    if (!program && key.algorithm != kOwnChoice) continue;
    if (of_group(with, kRulesGroup).empty()) continue;
    const Which which{key.operation, key.ranks};
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

bool has_rule(const Winners& winners) {
  return std::ranges::any_of(winners,
                             [](const auto& each) { return each.second.algorithm != kOwnChoice; });
}

void leave_to_library(Winner* winner) {
  winner->algorithm = kOwnChoice;
  winner->segment_bytes = 0;
  winner->gain = {};
}
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
Withdrawal withdraw(const Comparisons& comparisons, const Which& which, bool all_sizes,
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
    for (const StackLoss& loss : losses) {
      sizes.push_back(fmt::format("{} at {}", format_fraction(1 / loss.ratio.value - 1),
                                  format_bytes(loss.size_bytes)));
    }
    withdrawal.why.push_back(fmt::format("{}slower by rules in nmad-tune ab of {}: {}", begin,
                                         each.started_utc, fmt::join(sizes, ", ")));
  }
  return withdrawal;
}

// Of all, by operation and ranks. Where what acts on all sizes lost, and coll/han has a segment of
// its own, that is the segment: the best without it are the rules. `sources`: of the winners.
std::map<Which, std::vector<std::string>> withdraw(
    const Comparisons& comparisons, const std::map<Which, const StackSamples*>& sources,
    Segments* segments, std::map<Which, Winners>* all) {
  std::map<Which, std::vector<std::string>> why;
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
      std::map<Which, Winners> others = winners_of(*sources.at(which), *segments);
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

std::string note_on(const Which& which, const Winners& winners) {
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
  std::map<Which, Winners> all;
  std::map<Which, const StackSamples*> sources;
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
