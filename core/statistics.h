// SPDX-License-Identifier: BSD-3-Clause
//
// Location and spread that outliers cannot move. Every "duration" in this project is such a
// location: never a mean of raw times, never the minimum alone (docs/method.md).
//
// All functions take at least one value unless stated otherwise. They are pure and do not modify
// their input; the bootstrap takes the caller's random generator.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "core/sample.h"

namespace nmt {

double median(std::span<const double> values);
// Linear between order statistics; 0 gives the least value, 1 the greatest.
double quantile(std::span<const double> values, double fraction);
double interquartile_mean(std::span<const double> values);
double median_absolute_deviation(std::span<const double> values);  // not scaled

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// Distribution-free 95 % interval of the median: order statistics n/2 -+ 0.98 sqrt(n), limited to
// the extremes where n is small.
Interval median_interval(std::span<const double> values);

// Percentile bootstrap: `statistic` receives resampled indices from [0, n). Returns the central
// `coverage` interval of its values.
Interval bootstrap_interval(std::size_t n,
                            const std::function<double(std::span<const std::size_t>)>& statistic,
                            std::mt19937_64& random, std::size_t resamples = 200,
                            double coverage = 0.95);

// The repetitions from which a duration is taken: the undisturbed ones, in order; all of them if
// fewer than three are undisturbed. May be empty.
std::vector<Repetition> trusted(std::span<const Repetition> repetitions);

// What is stored and printed of a sample besides its raw repetitions: nanoseconds per operation.
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

// Of the trusted() repetitions; all zero if there are none.
Summary summarize(std::span<const Repetition> repetitions);

}  // namespace nmt
