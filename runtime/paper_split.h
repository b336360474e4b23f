// SPDX-License-Identifier: BSD-3-Clause
//
// Splits as the papers do them, to be held against the exact one: a reference for tests and for
// `nmad-tune split --explain`, not for decisions.
//
// Two rails: dichotomy ("sampling-based auto-tuning", III-C; "multirail on multicore", II-B). More:
// the average of asymptotic bandwidths, weighted over the steps at which rails join (the former,
// III-C). Both know no start-up of the rails but what dichotomy reads off the curves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/curve.h"

namespace nmt {

struct PaperRail {
  Curve duration;  // monotone
  double release_ns = 0;
};

// What the first of two rails carries. Bisection on the difference of the ends, from equal chunks;
// the printed update, "increased by half of the amount of data allocated to the other network",
// would cycle between 1/3 and 2/3 (tests/runtime/paper_split_test.cpp).
double dichotomy(const PaperRail& first, const PaperRail& second, double size_bytes);

// What each rail carries: in the order of their releases rails join, and share what is moved up to
// the next joining by their asymptotic bandwidths.
std::vector<double> by_asymptotic_bandwidths(std::span<const PaperRail> rails, double size_bytes);

// When the last of these chunks ends.
double end_of(std::span<const PaperRail> rails, std::span<const double> chunks);

}  // namespace nmt
