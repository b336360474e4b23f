// SPDX-License-Identifier: BSD-3-Clause
//
// The two sides of a decision at one size, compared on ratios inside rounds: of what was measured
// within milliseconds of each other, so that a drifting machine cannot tip the balance.
//
// The ratio of two sides is the median of all ratios of one repetition of the one to one of the
// other in the same round: the Hodges-Lehmann estimate of a shift (on logarithms), stratified by
// rounds. Unlike a median over few rounds, it stands until more than a quarter of all repetitions
// are outliers, and it wastes less of them than a ratio of medians.
//
// A side is worth its best contender. Which one that is comes from ratios as well, never from the
// least of noisy medians, which would always flatter the side with more contenders.
// docs/method.md, "Comparing two methods".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "tuner/pool.h"

namespace nmt {

// Curves that compete for one side: all methods, in all variants, of one benchmark.
struct Candidates {
  std::string_view benchmark;
  std::vector<std::string_view> methods;
};

// In the order of core/method.h's Choices: below, above.
std::array<Candidates, 2> candidates(DecisionKind kind);
bool competes(std::string_view benchmark, std::string_view method, const Candidates& side);

struct MethodComparison {
  // Logarithms of what the repetitions of both sides took in one round; neither is empty.
  struct Round {
    std::vector<double> below;
    std::vector<double> above;
  };
  std::uint64_t size_bytes = 0;
  std::vector<Round> rounds;
  double below_ns = 0;        // the lower side's median duration
  double log_ratio = 0;       // log(above / below): > 0 where below wins
  double standard_error = 0;  // standard error of log_ratio by its repetitions; 0: too few to tell
};

// nullopt where a side was not measured, or never in one round with the other. `curves` tell, where
// only one of copy and iovec was sent eagerly, what the other would have gained.
std::optional<MethodComparison> compare_methods(DecisionKind kind, const Cells& cells,
                                                std::uint64_t size_bytes,
                                                std::span<const PlanCurve> curves);

// The estimate for some rounds of a comparison (at least one).
double log_ratio_of(std::span<const MethodComparison::Round> rounds);

// By how much the chosen side is slower than the other, as a fraction; 0 where it is not.
double slowdown(double log_ratio, bool chose_above);

// The slowdown, or 0 where both sides count as equal (kEquivalence).
double regret(double log_ratio, bool chose_above);

}  // namespace nmt
