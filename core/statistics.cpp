// SPDX-License-Identifier: BSD-3-Clause
#include "core/statistics.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace nmt {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  NMT_CHECK(!values.empty());
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double sorted_quantile(std::span<const double> sorted_values, double fraction) {
  NMT_CHECK(fraction >= 0 && fraction <= 1);
  const double position = fraction * static_cast<double>(sorted_values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted_values.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted_values[below] + weight * (sorted_values[above] - sorted_values[below]);
}

// Mean of the central half. If a quarter of n is not a whole number, the outermost values count in
// part.
double sorted_interquartile_mean(std::span<const double> sorted_values) {
  const double n = static_cast<double>(sorted_values.size());
  const double cut = n / 4;
  double total = 0;
  for (std::size_t i = 0; i < sorted_values.size(); ++i) {
    const double from = std::max(static_cast<double>(i), cut);
    const double to = std::min(static_cast<double>(i + 1), n - cut);
    if (to > from) total += sorted_values[i] * (to - from);
  }
  return total / (n / 2);
}

// Ranks after Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2.2.2.
Interval sorted_median_interval(std::span<const double> sorted_values) {
  const double n = static_cast<double>(sorted_values.size());
  const double reach = 0.98 * std::sqrt(n);
  const double low_rank = std::clamp(std::floor(n / 2 - reach), 1.0, n);
  const double high_rank = std::clamp(std::ceil(n / 2 + 1 + reach), 1.0, n);
  return {sorted_values[static_cast<std::size_t>(low_rank) - 1],
          sorted_values[static_cast<std::size_t>(high_rank) - 1]};
}

}  // namespace

double quantile(std::span<const double> values, double fraction) {
  return sorted_quantile(sorted(values), fraction);
}

// Does not sort: every estimate spends its time here.
double median(std::span<const double> values) {
  NMT_CHECK(!values.empty());
  std::vector<double> parted(values.begin(), values.end());
  const auto middle = parted.begin() + static_cast<std::ptrdiff_t>(parted.size() / 2);
  std::nth_element(parted.begin(), middle, parted.end());
  if (parted.size() % 2 == 1) return *middle;
  return (*std::max_element(parted.begin(), middle) + *middle) / 2;
}

double interquartile_mean(std::span<const double> values) {
  return sorted_interquartile_mean(sorted(values));
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> deviations(values.begin(), values.end());
  for (double& value : deviations) value = std::abs(value - center);
  return median(deviations);
}

Interval median_interval(std::span<const double> values) {
  return sorted_median_interval(sorted(values));
}

Interval bootstrap_interval(std::size_t n,
                            const std::function<double(std::span<const std::size_t>)>& statistic,
                            std::mt19937_64& random, std::size_t resamples, double coverage) {
  NMT_CHECK(n > 0 && resamples > 0);
  std::uniform_int_distribution<std::size_t> draw(0, n - 1);
  std::vector<std::size_t> indices(n);
  std::vector<double> results(resamples);
  for (double& result : results) {
    for (std::size_t& index : indices) index = draw(random);
    result = statistic(indices);
  }
  std::sort(results.begin(), results.end());
  const double tail = (1 - coverage) / 2;
  return {sorted_quantile(results, tail), sorted_quantile(results, 1 - tail)};
}

std::vector<Repetition> trusted(std::span<const Repetition> repetitions) {
  constexpr std::ptrdiff_t kEnough = 3;  // with fewer values, one outlier can move the median
  const auto undisturbed = [](const Repetition& repetition) { return !repetition.disturbed; };
  std::vector<Repetition> kept;
  if (std::count_if(repetitions.begin(), repetitions.end(), undisturbed) < kEnough) {
    kept.assign(repetitions.begin(), repetitions.end());
  } else {
    std::copy_if(repetitions.begin(), repetitions.end(), std::back_inserter(kept), undisturbed);
  }
  return kept;
}

Summary summarize(std::span<const Repetition> repetitions) {
  if (repetitions.empty()) return {};
  std::vector<double> each_ns;
  for (const Repetition& repetition : trusted(repetitions)) each_ns.push_back(repetition.each_ns());
  std::sort(each_ns.begin(), each_ns.end());
  const Interval interval = sorted_median_interval(each_ns);
  return {.n = each_ns.size(),
          .disturbed = repetitions.size() - each_ns.size(),
          .median_ns = sorted_quantile(each_ns, 0.5),
          .interquartile_mean_ns = sorted_interquartile_mean(each_ns),
          .low_ns = interval.low,
          .high_ns = interval.high,
          .p10_ns = sorted_quantile(each_ns, 0.1),
          .p90_ns = sorted_quantile(each_ns, 0.9),
          .p99_ns = sorted_quantile(each_ns, 0.99)};
}

}  // namespace nmt
