// SPDX-License-Identifier: BSD-3-Clause
//
// The method as it was published (paper "alltoall contention", section 8), kept to compare against:
// a straight line through the ping-pong, ordinary least squares over the sizes of one number of
// ranks, delta for each communication, M chosen by the least sum of squares.
//
// Large messages outweigh all others here, and the line misses what small ones cost; that is the
// reference's business, not a defect to mend.
#pragma once

#include "contention/fit.h"

namespace nmt {

// alpha and beta by ordinary least squares over the points of a curve; at least two of them.
Curve straight_line_through(const Curve& measured);

// Of the times at `ranks`; the options' M where it is given.
Signature fit_published(const AlltoallTimes& measured, std::int64_t ranks,
                        const FitOptions& options);

}  // namespace nmt
