// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the two sides of a decision at one size by ratios inside rounds: both were measured
// within milliseconds of each other, so a drifting machine does not change the result.
//
// The ratio of two sides is the median of all ratios between a repetition of one side and a
// repetition of the other in the same round: the Hodges-Lehmann estimate of a shift (of
// logarithms), stratified by rounds. It holds until more than a quarter of all repetitions are
// outliers, unlike a median over few rounds, and it uses more of the data than a ratio of medians.
//
// A side counts as its best candidate. The best candidate also comes from ratios, never from the
// smallest of noisy medians, which would favour the side with more candidates. docs/method.md,
// "Comparing two methods".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "tuner/pool.h"

namespace nmt::tuner {

// The curves of one side: all methods, in all variants, of one benchmark.
struct Candidates {
  std::string_view benchmark;
  std::vector<std::string_view> methods;
};

// In the order of core/method.h's Choices: below, above.
std::array<Candidates, 2> candidates(DecisionKind kind);
bool competes(std::string_view benchmark, std::string_view method, const Candidates& side);

struct MethodComparison {
  // Logarithms of the durations of both sides in one round; neither is empty.
  struct Round {
    std::vector<double> below;
    std::vector<double> above;
  };
  std::uint64_t size_bytes = 0;
  std::vector<Round> rounds;
  double below_ns = 0;        // median duration of the lower side
  double log_ratio = 0;       // log(above / below): > 0 if the lower side is faster
  double standard_error = 0;  // of log_ratio, from its repetitions; 0: too few repetitions
};

// nullopt if a side was not measured, or never in one round with the other. If only one of copy and
// iovec was sent eagerly, `curves` give what the other would have gained.
std::optional<MethodComparison> compare_methods(DecisionKind kind, const Cells& cells,
                                                std::uint64_t size_bytes,
                                                std::span<const PlanCurve> curves);

// The estimate for some rounds of a comparison (at least one).
double log_ratio_of(std::span<const MethodComparison::Round> rounds);

// How much slower the chosen side is than the other, as a fraction; 0 if it is not slower.
double slowdown(double log_ratio, bool chose_above);

// The slowdown, or 0 if both sides count as equal (kEquivalence).
double regret(double log_ratio, bool chose_above);

}  // namespace nmt::tuner
