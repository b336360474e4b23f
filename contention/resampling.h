// SPDX-License-Identifier: BSD-3-Clause
//
// The uncertainty of a fit: intervals of its parameters, and whether there is a delta.
//
// Private. Sessions are resampled, because the times of one session share a factor. With fewer than
// four sessions in a cell, the covariance of the generalized least squares is used instead.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "contention/candidates.h"

namespace nmt::contention {

struct Intervals {
  Interval gamma;
  Interval delta_ns;
  Interval delta_from_bytes;
  Uncertainty uncertainty;
};
Intervals intervals_of(const Fitted& fit, const AlltoallTable& table,
                       std::span<const AlltoallCell> cells,
                       std::span<const std::uint64_t> sizes_bytes, std::size_t resamples,
                       std::mt19937_64& random);

// Probability that a delta improves the fit as much if there is none: durations are drawn from the
// model without delta, then M and form are searched as before.
double no_delta_probability(const Fitted& fit, std::span<const AlltoallCell> cells,
                            std::span<const std::uint64_t> sizes_bytes, std::size_t resamples,
                            std::mt19937_64& random);

// Student's t: half the width of a central 95 % interval, in standard errors.
double student_quantile(std::size_t degrees_of_freedom);

// The same of a test to one side: what chance exceeds in 5 % of the cases.
double student_upper_quantile(std::size_t degrees_of_freedom);

}  // namespace nmt::contention
