// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/thresholds.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "core/error.h"
#include "core/statistics.h"
#include "tuner/chosen_sides.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

// First size of the upper side for a change between sizes i and i + 1, with these log ratios: where
// the difference of both durations, linear between the two samples, is 0.
std::uint64_t change_position(const SizeComparisons& size_comparisons,
                              std::span<const double> log_ratios, std::size_t i) {
  const MethodComparison& before = size_comparisons[i].comparison;
  const MethodComparison& after = size_comparisons[i + 1].comparison;
  const double difference_before = before.below_ns * -std::expm1(log_ratios[i]);
  const double difference_after = after.below_ns * -std::expm1(log_ratios[i + 1]);
  const double total = difference_before - difference_after;
  const double part = total == 0 ? 0.5 : std::clamp(difference_before / total, 0.0, 1.0);
  const double gap = static_cast<double>(after.size_bytes - before.size_bytes);
  const auto past = static_cast<std::uint64_t>(std::ceil(part * gap));
  return before.size_bytes + std::max<std::uint64_t>(1, past);
}

std::string choice_name(DecisionKind kind, bool above) {
  return std::string(above ? choices(kind).above : choices(kind).below);
}

// Ranges of a choice over sampled sizes, cut off where the upper side is forced.
void set_ranges(Threshold& threshold, const SizeComparisons& size_comparisons,
                const ChosenSides& verdict, std::span<const double> log_ratios,
                std::optional<std::uint64_t> forced) {
  std::uint64_t from = 0;
  bool above = true;
  const auto change_at = [&](std::uint64_t to) {
    threshold.ranges.push_back({from, to, choice_name(threshold.kind, above)});
    from = to;
    above = !above;
  };
  if (verdict.empty() || forced == 0) {
    threshold.bounded = true;  // no choice is left
  } else {
    above = verdict.front();
    for (std::size_t i = 0; i + 1 < verdict.size(); ++i) {
      if (verdict[i] == verdict[i + 1]) continue;
      const std::uint64_t position = change_position(size_comparisons, log_ratios, i);
      if (forced && position >= *forced) break;
      change_at(position);
    }
    if (forced && !above) {
      threshold.bounded = true;
      change_at(*forced);
    }
  }
  threshold.ranges.push_back({from, std::nullopt, choice_name(threshold.kind, above)});
}

// The name of one choice for all sizes: core/plan.h.
Answer answer_of_one(DecisionKind kind, const std::string& choice) {
  const std::string_view named_after =
      kind == DecisionKind::kAggregation ? choices(kind).below : choices(kind).above;
  return choice == named_after ? Answer::kAlways : Answer::kNever;
}

void set_answer(Threshold& threshold) {
  const std::vector<Range>& ranges = threshold.ranges;
  if (ranges.size() == 1) {
    threshold.answer = answer_of_one(threshold.kind, ranges[0].choice);
    if (threshold.answer == Answer::kAlways) threshold.bytes = 0;
  } else if (ranges.size() == 2 && ranges[0].choice == choices(threshold.kind).below) {
    threshold.answer = Answer::kThreshold;
    threshold.bytes = ranges[0].to_bytes;
  } else {
    threshold.answer = Answer::kRanges;
  }
}

// 95 % interval of the first change: its position if every ratio had come out differently within
// its standard error (parametric bootstrap over the draws with the same number of changes).
void set_interval(Threshold& threshold, const SizeComparisons& size_comparisons,
                  const ChosenSides& verdict, std::optional<std::uint64_t> forced,
                  std::mt19937_64& random) {
  if (threshold.ranges.size() < 2) return;
  const std::uint64_t position = *threshold.ranges[0].to_bytes;
  threshold.low_bytes = threshold.high_bytes = position;
  const std::size_t changes = count_changes(verdict);
  if (changes == 0) return;  // set by the limit, which is exact
  constexpr int kDraws = 200;
  std::normal_distribution<double> normal;
  std::vector<double> positions;
  std::vector<double> log_ratios(size_comparisons.size());
  for (int draw = 0; draw < kDraws; ++draw) {
    for (std::size_t i = 0; i < size_comparisons.size(); ++i) {
      log_ratios[i] = size_comparisons[i].comparison.log_ratio +
                      size_comparisons[i].standard_error * normal(random);
    }
    const ChosenSides drawn = choose_sides(size_comparisons, log_ratios);
    if (count_changes(drawn) != changes || drawn.front() != verdict.front()) continue;
    const auto first = std::adjacent_find(drawn.begin(), drawn.end(), std::not_equal_to<>());
    const std::uint64_t found = change_position(size_comparisons, log_ratios,
                                                static_cast<std::size_t>(first - drawn.begin()));
    positions.push_back(static_cast<double>(forced ? std::min(found, *forced) : found));
  }
  if (positions.empty()) return;
  threshold.low_bytes = std::min(position, static_cast<std::uint64_t>(quantile(positions, 0.025)));
  threshold.high_bytes =
      std::max(position, static_cast<std::uint64_t>(std::ceil(quantile(positions, 0.975))));
}

// Expected logarithm of the slowdown, 0 inside the equivalence zone, if the log ratio is normal
// around the measured one. The logarithm keeps a size with a large error from giving an unlimited
// regret.
double expected_log_regret(const SizeComparison& size_comparison, bool chose_above) {
  const double loss =
      chose_above ? size_comparison.comparison.log_ratio : -size_comparison.comparison.log_ratio;
  const double beyond = (loss - std::log1p(kEquivalence)) / size_comparison.standard_error;
  const double share_beyond = std::erfc(-beyond / std::numbers::sqrt2) / 2;
  const double density = std::exp(-beyond * beyond / 2) / std::sqrt(2 * std::numbers::pi);
  return loss * share_beyond + size_comparison.standard_error * density;
}

// Over the sizes with a free choice: the geometric mean of the slowdowns, minus one.
double expected_regret(const SizeComparisons& size_comparisons, const Threshold& threshold,
                       std::optional<std::uint64_t> forced) {
  double total = 0;
  double shares = 0;
  for (const SizeComparison& size_comparison : size_comparisons) {
    const std::uint64_t size_bytes = size_comparison.comparison.size_bytes;
    if (forced && size_bytes >= *forced) continue;
    const bool above = threshold.choice_at(size_bytes) == choices(threshold.kind).above;
    total += size_comparison.share * expected_log_regret(size_comparison, above);
    shares += size_comparison.share;
  }
  return shares > 0 ? std::expm1(total / shares) : 0;
}

bool was_measured(const Candidates& side, const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), [&](const auto& curve) {
    return competes(curve.first.benchmark, curve.first.method, side);
  });
}

// Sizes at which the benchmark was measured, up to the size where the choice is forced; that size
// still helps to place a change before it.
std::vector<std::uint64_t> contested_sizes(DecisionKind kind, const Cells& cells,
                                           std::optional<std::uint64_t> forced) {
  std::vector<std::uint64_t> sizes;
  for (const auto& [key, by_size] : cells) {
    if (key.benchmark != candidates(kind)[0].benchmark) continue;
    for (const auto& [size_bytes, rounds] : by_size) {
      if (!forced || size_bytes <= *forced) sizes.push_back(size_bytes);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::optional<Threshold> derive(DecisionKind kind, const Cells& cells,
                                std::span<const PlanCurve> curves,
                                std::optional<std::uint64_t> forced, std::mt19937_64& random) {
  if (!was_measured(candidates(kind)[0], cells) || !was_measured(candidates(kind)[1], cells)) {
    return std::nullopt;
  }
  std::vector<MethodComparison> comparisons;
  for (const std::uint64_t size_bytes : contested_sizes(kind, cells, forced)) {
    if (auto comparison = compare_methods(kind, cells, size_bytes, curves))
      comparisons.push_back(std::move(*comparison));
  }
  if (comparisons.empty() && !forced) return std::nullopt;
  const SizeComparisons size_comparisons = make_size_comparisons(std::move(comparisons));
  const std::vector<double> log_ratios = log_ratios_of(size_comparisons);
  const ChosenSides verdict =
      size_comparisons.empty() ? ChosenSides{} : choose_sides(size_comparisons, log_ratios);

  Threshold threshold{.kind = kind};
  set_ranges(threshold, size_comparisons, verdict, log_ratios, forced);
  set_answer(threshold);
  set_interval(threshold, size_comparisons, verdict, forced, random);
  threshold.regret = expected_regret(size_comparisons, threshold, forced);
  return threshold;
}

}  // namespace

std::optional<std::uint64_t> forced_from(DecisionKind kind, std::uint64_t max_unexpected_bytes,
                                         std::span<const Threshold> decided) {
  switch (kind) {
    case DecisionKind::kIovec:
      return std::nullopt;
    case DecisionKind::kRendezvous:
      return max_unexpected_bytes;
    case DecisionKind::kAggregation:
      break;
  }
  for (const Threshold& threshold : decided) {
    if (threshold.kind != DecisionKind::kRendezvous) continue;
    for (const Range& range : threshold.ranges) {
      if (range.choice == choices(DecisionKind::kRendezvous).above) {
        return (range.from_bytes + 1) / 2;  // the first s with 2 s >= from
      }
    }
  }
  return std::nullopt;
}

std::vector<Threshold> derive_thresholds(const Cells& cells, std::span<const PlanCurve> curves,
                                         std::uint64_t max_unexpected_bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Threshold> decided;
  for (const DecisionKind kind : kDecisions) {
    const auto forced = forced_from(kind, max_unexpected_bytes, decided);
    if (auto threshold = derive(kind, cells, curves, forced, random)) {
      decided.push_back(std::move(*threshold));
    }
  }
  return decided;
}

}  // namespace nmt::tuner
