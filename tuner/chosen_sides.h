// SPDX-License-Identifier: BSD-3-Clause
//
// One decision over all sampled sizes: which side is chosen where, with as few changes as the
// measurements ask for.
//
// A change of choice has a price, in the coin of evidence: squared standard errors of regret
// proven beyond the equivalence zone. Noise cannot pay it. Where there is no evidence either way,
// the least slowdown decides where a change lies. Dynamic programming over the sizes finds the
// cheapest choices. docs/method.md, "How many changes, and where".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/method_comparison.h"

namespace nmt {

struct SizeComparison {
  MethodComparison comparison;
  double share = 0;           // what this size stands for (shares_of)
  double standard_error = 0;  // of comparison.log_ratio, in the light of the other sizes'
};
using SizeComparisons = std::vector<SizeComparison>;  // in order of sizes

SizeComparisons make_size_comparisons(
    std::vector<MethodComparison> comparisons);  // in order of sizes

// What speaks against a choice at one size, were its log ratio this: evidence, and the slowdown
// (a logarithm, by the size's share), which is always small beside any evidence that counts.
double cost(const SizeComparison& size_comparison, double log_ratio, bool chose_above);

// What each change must save. An island in the middle takes two changes: 16, which is four
// standard errors if it rests on a single size; noise reaches that at fewer than one in ten
// thousand sizes.
inline constexpr double kChangePrice = 8;

// Per size: true where the upper side is chosen.
using ChosenSides = std::vector<bool>;

// The cheapest choice, were the log ratios these.
ChosenSides choose_sides(const SizeComparisons& size_comparisons,
                         std::span<const double> log_ratios);

std::vector<double> log_ratios_of(const SizeComparisons& size_comparisons);  // as measured
std::size_t count_changes(const ChosenSides& verdict);

}  // namespace nmt
