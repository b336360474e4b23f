// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/nonnegative_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace nmt::tuner {
namespace {

// A term whose part that no other term explains is smaller than this, relative to the term, adds
// rounding errors only.
constexpr double kDependent = 1e-9;
constexpr double kNoGain = 1e-10;  // relative to the values, of a coefficient that grows from 0

// The normal equations, with each term scaled to length 1.
class NormalEquations {
 public:
  explicit NormalEquations(const std::vector<WeightedRow>& rows)
      : terms_(rows.front().terms.size()),
        products_(terms_ * terms_, 0),
        values_(terms_, 0),
        lengths_(terms_, 0) {
    double value_squares = 0;
    for (const WeightedRow& row : rows) {
      value_squares += row.weight * row.value * row.value;
      for (std::size_t i = 0; i < terms_; ++i) {
        const double weighted = row.weight * row.terms[i];
        values_[i] += weighted * row.value;
        for (std::size_t j = 0; j <= i; ++j) products_[i * terms_ + j] += weighted * row.terms[j];
      }
    }
    for (std::size_t i = 0; i < terms_; ++i) lengths_[i] = std::sqrt(products_[i * terms_ + i]);
    for (std::size_t i = 0; i < terms_; ++i) {
      values_[i] = lengths_[i] > 0 ? values_[i] / lengths_[i] : 0;
      for (std::size_t j = 0; j <= i; ++j) {
        const double lengths = lengths_[i] * lengths_[j];
        double& product = products_[i * terms_ + j];
        product = lengths > 0 ? product / lengths : 0;
        products_[j * terms_ + i] = product;
      }
    }
    least_gain_ = kNoGain * std::sqrt(value_squares);
  }

  std::size_t terms() const { return terms_; }
  double length(std::size_t i) const { return lengths_[i]; }
  double least_gain() const { return least_gain_; }

  // How fast the sum of squares falls as coefficient i grows.
  double descent(std::size_t i, const std::vector<double>& coefficients) const {
    double sum = values_[i];
    for (std::size_t j = 0; j < terms_; ++j) sum -= products_[i * terms_ + j] * coefficients[j];
    return sum;
  }

  // The best coefficients of these terms, of any sign; empty if one term depends on others.
  std::vector<double> solve(const std::vector<std::size_t>& used) const {
    const std::size_t n = used.size();
    std::vector<double> root(n * n, 0), solution(n, 0);  // by Cholesky
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = products_[used[i] * terms_ + used[j]];
        for (std::size_t k = 0; k < j; ++k) sum -= root[i * n + k] * root[j * n + k];
        if (i == j && sum < kDependent) return {};
        root[i * n + j] = i == j ? std::sqrt(sum) : sum / root[j * n + j];
      }
      double sum = values_[used[i]];
      for (std::size_t k = 0; k < i; ++k) sum -= root[i * n + k] * solution[k];
      solution[i] = sum / root[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) solution[i] -= root[k * n + i] * solution[k];
      solution[i] /= root[i * n + i];
    }
    return solution;
  }

 private:
  std::size_t terms_;
  std::vector<double> products_;
  std::vector<double> values_;
  std::vector<double> lengths_;
  double least_gain_ = 0;
};

// Moves the used coefficients to their best values. Those that become negative on the way stop at 0
// and are no longer used.
void settle(const NormalEquations& equations, std::vector<std::size_t>& used,
            std::vector<double>& coefficients) {
  while (!used.empty()) {
    const std::vector<double> best = equations.solve(used);
    if (best.empty()) {  // the last one depends on the others
      coefficients[used.back()] = 0;
      used.pop_back();
      return;
    }
    double part = 1;  // of the way to the best, until the first coefficient is 0
    for (std::size_t i = 0; i < used.size(); ++i) {
      const double now = coefficients[used[i]];
      if (best[i] <= 0) part = std::min(part, now / (now - best[i]));
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      double& coefficient = coefficients[used[i]];
      coefficient += part * (best[i] - coefficient);
    }
    if (part == 1) return;
    constexpr double kZero = 16 * std::numeric_limits<double>::epsilon();
    double largest = 0;
    for (const std::size_t i : used) largest = std::max(largest, coefficients[i]);
    std::erase_if(used, [&](std::size_t i) {
      if (coefficients[i] > kZero * largest) return false;
      coefficients[i] = 0;
      return true;
    });
  }
}

}  // namespace

std::vector<double> nonnegative_fit(const std::vector<WeightedRow>& rows) {
  if (rows.empty()) return {};
  const NormalEquations equations(rows);
  std::vector<double> coefficients(equations.terms(), 0);
  std::vector<std::size_t> used;
  std::vector<bool> tried(equations.terms(), false);  // and put back at once
  for (std::size_t step = 0; step < 3 * equations.terms(); ++step) {
    std::size_t best = equations.terms();
    double descent = equations.least_gain();
    for (std::size_t i = 0; i < equations.terms(); ++i) {
      if (tried[i] || std::ranges::find(used, i) != used.end()) continue;
      const double here = equations.descent(i, coefficients);
      if (here <= descent) continue;
      descent = here;
      best = i;
    }
    if (best == equations.terms()) break;
    used.push_back(best);
    settle(equations, used, coefficients);
    const bool stayed = std::ranges::find(used, best) != used.end();
    if (stayed) tried.assign(tried.size(), false);
    tried[best] = !stayed;
  }
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (equations.length(i) > 0) coefficients[i] /= equations.length(i);
  }
  return coefficients;
}

}  // namespace nmt::tuner
