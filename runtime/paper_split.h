// SPDX-License-Identifier: BSD-3-Clause
//
// Splits as the papers describe them: a reference for tests and for `nmad-tune split --explain`,
// not for decisions.
//
// Two rails: dichotomy ("sampling-based auto-tuning", III-C; "multirail on multicore", II-B). More
// rails: the average of asymptotic bandwidths, weighted by the steps at which rails join (the
// former, III-C). Neither uses the start-up times of rails, except where dichotomy reads them off
// the curves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/curve.h"

namespace nmt::runtime {

struct PaperRail {
  Curve duration;  // monotone
  double release_ns = 0;
};

// The bytes of the first of two rails: bisection on the difference of the ends, starting from equal
// chunks. The printed update, "increased by half of the amount of data allocated to the other
// network", would alternate between 1/3 and 2/3 (tests/runtime/paper_split_test.cpp).
double dichotomy(const PaperRail& first, const PaperRail& second, double size_bytes);

// The bytes of each rail. Rails join in the order of their releases, and share the bytes up to the
// next joining by their asymptotic bandwidths.
std::vector<double> by_asymptotic_bandwidths(std::span<const PaperRail> rails, double size_bytes);

// The end of the last of these chunks.
double end_of(std::span<const PaperRail> rails, std::span<const double> chunks);

}  // namespace nmt::runtime
