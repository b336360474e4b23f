// SPDX-License-Identifier: BSD-3-Clause
//
// What chance could have made of a fit: intervals of its parameters, and whether there is a delta.
//
// Private. The session is what is resampled, since its times share a factor; with fewer than four
// sessions in every cell the covariance of the generalized least squares has to do instead.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "contention/candidates.h"

namespace nmt {

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

// Probability that a delta improves the fit by as much where there is none: the durations are drawn
// anew from the model without one, and M and form searched as before.
double no_delta_probability(const Fitted& fit, std::span<const AlltoallCell> cells,
                            std::span<const std::uint64_t> sizes_bytes, std::size_t resamples,
                            std::mt19937_64& random);

// Student's t: half the width of a central 95 % interval, in standard errors.
double student_quantile(std::size_t degrees_of_freedom);

}  // namespace nmt
