// SPDX-License-Identifier: BSD-3-Clause
//
// The method as published (paper "alltoall contention", section 8), kept for comparison: a straight
// line through the ping-pong, ordinary least squares over the sizes of one number of ranks, delta
// for each communication, and the M with the smallest sum of squares.
//
// Large messages outweigh all others here, and the line misses the cost of small ones. This is a
// property of the reference, so it is not corrected.
#pragma once

#include "contention/fit.h"

namespace nmt::contention {

// alpha and beta by ordinary least squares over the points of a curve; needs at least two points.
Curve straight_line_through(const Curve& measured);

// Uses the times at `ranks`, and the M of the options if given.
Signature fit_published(const AlltoallTimes& measured, std::int64_t ranks,
                        const FitOptions& options);

}  // namespace nmt::contention
