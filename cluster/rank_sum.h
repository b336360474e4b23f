// SPDX-License-Identifier: BSD-3-Clause
//
// Whether some values are larger than others, by their ranks alone (Wilcoxon 1945, Mann and Whitney
// 1947; the interval of the shift after Hodges and Lehmann 1963). No distribution is assumed: the
// probability is that of drawing so many values so high by chance, from all of them.
#pragma once

#include <cstddef>
#include <span>

#include "core/statistics.h"

namespace nmt::cluster {

// Probability that `some`, drawn at random from some and others together, have at least this rank
// sum; ties count half. Exact for few values, else the normal approximation, which is too large in
// the far tail, never too small. 1 if either is empty.
double rank_sum_probability(std::span<const double> some, std::span<const double> others);

// The same where the others are a sorted set without `left_out`, which is in it: so that many small
// parts of one large set are compared with the rest of it.
double rank_sum_probability_in(std::span<const double> some, std::span<const double> all_sorted,
                               std::span<const double> left_out);

// The least that rank_sum_probability() can be for so many values: 1 / C(some + others, some).
double least_rank_sum_probability(std::size_t some, std::size_t others);

struct Shift {
  double middle = 0;  // median of all differences some - others
  Interval interval;  // 95 %; the extreme differences where there are too few values
};
Shift shift_between(std::span<const double> some, std::span<const double> others);

}  // namespace nmt::cluster
