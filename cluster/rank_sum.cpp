// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nmt::cluster {
namespace {

constexpr double kExactWorkMax = 4e6;  // steps
constexpr double kExactBelow = 0.05;   // above, nobody needs more than an estimate

// Number of pairs (some, other) in which the first is larger; a tie counts half.
double pairs_won(std::span<const double> some, std::span<const double> others_sorted) {
  double won = 0;
  for (const double value : some) {
    const auto below = std::ranges::lower_bound(others_sorted, value) - others_sorted.begin();
    const auto not_above = std::ranges::upper_bound(others_sorted, value) - others_sorted.begin();
    won += 0.5 * static_cast<double>(below + not_above);
  }
  return won;
}

// P(U <= lost) for U of n and m values, which is P(U >= n m - lost): the share of all ways to draw
// n of n + m. probability[k][u] after i values: that k of them were drawn and won u pairs.
double exact_probability(std::size_t n, std::size_t m, std::size_t lost) {
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(lost + 1, 0));
  ways[0][0] = 1;
  for (std::size_t i = 0; i < n + m; ++i) {  // in ascending order: i - k others lie below
    const double left = static_cast<double>(n + m - i);
    for (std::size_t k = std::min(i + 1, n) + 1; k-- > 0;) {
      for (std::size_t u = 0; u <= lost; ++u) {
        double& cell = ways[k][u];
        // Not drawn (k of i were), or drawn as the k-th (k - 1 of i were, and it wins i - k + 1).
        const double missing = static_cast<double>(n) - static_cast<double>(k);
        const double kept = cell * std::max(0.0, (left - missing) / left);
        double drawn = 0;
        if (k > 0 && i + 1 >= k && u + k >= i + 1) {
          const std::size_t before = u - (i + 1 - k);
          if (before <= lost) drawn = ways[k - 1][before] * (missing + 1) / left;
        }
        cell = kept + drawn;
      }
    }
  }
  double probability = 0;
  for (const double each : ways[n]) probability += each;
  return std::min(probability, 1.0);
}

double normal_probability(double n, double m, double won) {
  const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
  return 0.5 * std::erfc((won - 0.5 - n * m / 2) / deviation / std::sqrt(2.0));
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double probability(std::size_t some, std::size_t others, double won_pairs) {
  if (some == 0 || others == 0) return 1;
  const auto n = static_cast<double>(some), m = static_cast<double>(others);
  const double won = std::floor(won_pairs);  // a half in favour of chance
  const double estimate = normal_probability(n, m, won);
  const double lost = n * m - won;
  if (estimate > kExactBelow || (lost + 1) * n * (n + m) > kExactWorkMax) return estimate;
  return exact_probability(some, others, static_cast<std::size_t>(lost));
}

}  // namespace

double rank_sum_probability(std::span<const double> some, std::span<const double> others) {
  return probability(some.size(), others.size(), pairs_won(some, sorted(others)));
}

double rank_sum_probability_in(std::span<const double> some, std::span<const double> all_sorted,
                               std::span<const double> left_out) {
  return probability(some.size(), all_sorted.size() - left_out.size(),
                     pairs_won(some, all_sorted) - pairs_won(some, sorted(left_out)));
}

double least_rank_sum_probability(std::size_t some, std::size_t others) {
  const auto n = static_cast<double>(some), m = static_cast<double>(others);
  return std::exp(std::lgamma(n + 1) + std::lgamma(m + 1) - std::lgamma(n + m + 1));
}

Shift shift_between(std::span<const double> some, std::span<const double> others) {
  std::vector<double> differences;
  differences.reserve(some.size() * others.size());
  for (const double a : some) {
    for (const double b : others) differences.push_back(a - b);
  }
  std::ranges::sort(differences);
  const auto n = static_cast<double>(some.size()), m = static_cast<double>(others.size());
  const double outside = n * m / 2 - 1.96 * std::sqrt(n * m * (n + m + 1) / 12);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(outside)));
  return {.middle = median(differences),
          .interval = {differences[low], differences[differences.size() - 1 - low]}};
}

}  // namespace nmt::cluster
