// SPDX-License-Identifier: BSD-3-Clause
//
// Location and spread that outliers cannot move: what "a duration" means everywhere in this
// project. Never a mean of raw times, never the minimum alone (docs/method.md).
//
// All functions take at least one value unless said otherwise, do not modify their input, and are
// pure; randomness (bootstrap) comes from the caller's generator.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "core/sample.h"

namespace nmt {

double median(std::span<const double> values);
// Linear between order statistics; 0 is the least value, 1 the greatest.
double quantile(std::span<const double> values, double fraction);
double interquartile_mean(std::span<const double> values);
double median_absolute_deviation(std::span<const double> values);  // not scaled

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// Distribution-free 95 % interval of the median: order statistics n/2 -+ 0.98 sqrt(n), clamped to
// the extremes where n is small.
Interval median_interval(std::span<const double> values);

// Percentile bootstrap of `statistic` over resamples of indices [0, n): the statistic receives the
// resampled indices. Returns the central `coverage` interval.
Interval bootstrap_interval(std::size_t n,
                            const std::function<double(std::span<const std::size_t>)>& statistic,
                            std::mt19937_64& random, std::size_t resamples = 200,
                            double coverage = 0.95);

// What a duration is taken from: the undisturbed repetitions, in order; all of them where fewer
// than three are undisturbed. May be empty.
std::vector<Repetition> trusted(std::span<const Repetition> repetitions);

// What is stored and printed of a sample beside its raw repetitions; per operation, nanoseconds.
struct Summary {
  std::size_t n = 0;          // repetitions used
  std::size_t disturbed = 0;  // repetitions left out of this summary
  double median_ns = 0;
  double interquartile_mean_ns = 0;
  double low_ns = 0;  // 95 % interval of the median
  double high_ns = 0;
  double p10_ns = 0;
  double p90_ns = 0;
  double p99_ns = 0;
  bool operator==(const Summary&) const = default;
};

// Of the trusted() repetitions; all zero where there are none.
Summary summarize(std::span<const Repetition> repetitions);

}  // namespace nmt
