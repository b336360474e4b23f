// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses a side for every sampled size, with only as many changes as the measurements require.
//
// A change of side has a price, in units of evidence: squared standard errors of regret beyond the
// equivalence zone. Noise does not reach that price. Without evidence for either side, the least
// slowdown decides where a change lies. Dynamic programming over the sizes finds the cheapest
// choices. docs/method.md, "How many changes, and where".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/method_comparison.h"

namespace nmt::tuner {

struct SizeComparison {
  MethodComparison comparison;
  double share = 0;           // weight of this size (shares_of)
  double standard_error = 0;  // of comparison.log_ratio, with the other sizes taken into account
};
using SizeComparisons = std::vector<SizeComparison>;  // in order of sizes

SizeComparisons make_size_comparisons(
    std::vector<MethodComparison> comparisons);  // in order of sizes

// The cost of a side at one size, for this log ratio: the evidence against it, plus its slowdown (a
// logarithm, weighted by the size's share), which is always small against any relevant evidence.
double cost(const SizeComparison& size_comparison, double log_ratio, bool chose_above);

// The price of one change. A different side for some sizes in the middle takes two changes: 16,
// which is four standard errors if the evidence is from a single size. Noise reaches that at fewer
// than one in ten thousand sizes.
inline constexpr double kChangePrice = 8;

// Per size: true if the upper side is chosen.
using ChosenSides = std::vector<bool>;

// The cheapest choice for these log ratios.
ChosenSides choose_sides(const SizeComparisons& size_comparisons,
                         std::span<const double> log_ratios);

std::vector<double> log_ratios_of(const SizeComparisons& size_comparisons);  // as measured
std::size_t count_changes(const ChosenSides& verdict);

}  // namespace nmt::tuner
