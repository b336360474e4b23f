// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/chosen_sides.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "tuner/shares.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

// For a normal distribution: standard deviation / median absolute deviation; and standard error of
// a median / (standard deviation / sqrt(n)).
constexpr double kMadToDeviation = 1.4826;
constexpr double kMedianError = 1.2533;

// Deviations of each round's log ratio from that of the comparison, corrected for the one degree of
// freedom of that estimate; empty for a comparison with one round.
std::vector<double> round_deviations(const MethodComparison& comparison) {
  std::vector<double> deviations;
  const double rounds = static_cast<double>(comparison.rounds.size());
  if (rounds < 2) return deviations;
  for (const MethodComparison::Round& round : comparison.rounds) {
    const double deviation = std::abs(log_ratio_of({&round, 1}) - comparison.log_ratio);
    deviations.push_back(deviation * std::sqrt(rounds / (rounds - 1)));
  }
  return deviations;
}

double error_from_rounds(const std::vector<double>& deviations, std::size_t rounds) {
  if (deviations.empty()) return 0;
  return kMedianError * kMadToDeviation * median(deviations) /
         std::sqrt(static_cast<double>(rounds));
}

// Standard errors of all comparisons. Repetitions of one round may agree better than rounds do:
// four or more rounds show by how much; with fewer rounds, all sizes together do. A few repetitions
// may also agree by chance: no size has less than half the typical error, nor less than what a
// measurement can resolve.
std::vector<double> doubts_of(std::span<const MethodComparison> comparisons) {
  constexpr std::size_t kEnoughRounds = 4;
  constexpr double kFinest = 1e-4;
  std::vector<double> all_deviations;
  for (const MethodComparison& comparison : comparisons) {
    const std::vector<double> deviations = round_deviations(comparison);
    all_deviations.insert(all_deviations.end(), deviations.begin(), deviations.end());
  }
  std::vector<double> doubts;
  for (const MethodComparison& comparison : comparisons) {
    const std::size_t rounds = comparison.rounds.size();
    const double between = error_from_rounds(
        rounds >= kEnoughRounds ? round_deviations(comparison) : all_deviations, rounds);
    doubts.push_back(std::max(comparison.standard_error, between));
  }
  const double least = std::max(kFinest, median(doubts) / 2);
  for (double& standard_error : doubts) standard_error = std::max(standard_error, least);
  return doubts;
}

bool may_be_one_outlier(const MethodComparison& comparison) {
  std::size_t below = 0;
  std::size_t above = 0;
  for (const MethodComparison::Round& round : comparison.rounds) {
    below += round.below.size();
    above += round.above.size();
  }
  return std::min(below, above) < 3;
}

}  // namespace

SizeComparisons make_size_comparisons(std::vector<MethodComparison> comparisons) {
  if (comparisons.empty()) return {};
  std::vector<std::uint64_t> sizes_bytes;
  for (const MethodComparison& comparison : comparisons)
    sizes_bytes.push_back(comparison.size_bytes);
  const std::vector<double> shares = shares_of(sizes_bytes);
  const std::vector<double> doubts = doubts_of(comparisons);
  SizeComparisons size_comparisons;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    size_comparisons.push_back(
        {.comparison = std::move(comparisons[i]), .share = shares[i], .standard_error = doubts[i]});
  }
  return size_comparisons;
}

double cost(const SizeComparison& size_comparison, double log_ratio, bool chose_above) {
  const double loss = std::max(0.0, chose_above ? log_ratio : -log_ratio);
  const double errors =
      std::max(0.0, loss - std::log1p(kEquivalence)) / size_comparison.standard_error;
  double evidence = errors * errors;
  // One outlier alone cannot pay for a change.
  if (may_be_one_outlier(size_comparison.comparison))
    evidence = std::min(evidence, kChangePrice / 2);
  return evidence + size_comparison.share * loss;
}

ChosenSides choose_sides(const SizeComparisons& size_comparisons,
                         std::span<const double> log_ratios) {
  NMT_CHECK(!size_comparisons.empty() && log_ratios.size() == size_comparisons.size());
  const std::size_t n = size_comparisons.size();
  // least[above]: cost of the cheapest choices up to this size that end with `above`.
  std::array<double, 2> least = {};
  std::vector<std::array<bool, 2>> changed(n);  // from the other side at the size before
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, 2> next;
    for (const bool above : {false, true}) {
      const double after_change = least[!above] + kChangePrice;
      changed[i][above] = i > 0 && after_change < least[above];
      next[above] = (changed[i][above] ? after_change : least[above]) +
                    cost(size_comparisons[i], log_ratios[i], above);
    }
    least = next;
  }
  ChosenSides verdict(n);
  bool above = least[true] < least[false];
  for (std::size_t i = n; i-- > 0;) {
    verdict[i] = above;
    if (changed[i][above]) above = !above;
  }
  return verdict;
}

std::vector<double> log_ratios_of(const SizeComparisons& size_comparisons) {
  std::vector<double> log_ratios;
  for (const SizeComparison& size_comparison : size_comparisons)
    log_ratios.push_back(size_comparison.comparison.log_ratio);
  return log_ratios;
}

std::size_t count_changes(const ChosenSides& verdict) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < verdict.size(); ++i) changes += verdict[i] != verdict[i - 1];
  return changes;
}

}  // namespace nmt::tuner
