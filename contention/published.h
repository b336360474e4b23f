// SPDX-License-Identifier: BSD-3-Clause
//
// The method as published (paper "alltoall contention", section 8), kept for comparison: a straight
// line through the ping-pong, least squares over the sizes of one number of ranks, delta for each
// communication, and the M with the smallest sum of squares.
//
// The paper names generalized least squares and prints no covariance. So there are both: ordinary
// ones, where large messages outweigh all others, and generalized ones, where each size counts by
// the error of its mean. The line misses the cost of small messages either way. This is a property
// of the reference, so it is not corrected.
#pragma once

#include "contention/fit.h"

namespace nmt::contention {

// alpha and beta by ordinary least squares over the points of a curve; needs at least two points.
Curve straight_line_through(const Curve& measured);

enum class Squares { kOrdinary, kGeneralized };

// Uses the times at `ranks`, and the M of the options if given. The paper takes a number of ranks
// that saturates the network: the largest that was measured is the nearest to that.
Signature fit_published(const AlltoallTimes& measured, std::int64_t ranks,
                        const FitOptions& options, Squares squares);

}  // namespace nmt::contention
