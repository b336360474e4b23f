// SPDX-License-Identifier: BSD-3-Clause
#include "contention/least_squares.h"

#include <cmath>
#include <cstddef>

namespace nmt::contention {
namespace {

using Row = std::array<double, kTerms>;
using Matrix = std::array<Row, kTerms>;

// Inverse of a symmetric matrix by Gauss-Jordan elimination, over the active terms; 0 elsewhere.
Matrix inverse(Matrix a, const std::array<bool, kTerms>& active) {
  Matrix b{};
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (active[i]) b[i][i] = 1;
  }
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (!active[i]) continue;
    const double pivot = a[i][i];
    for (std::size_t j = 0; j < kTerms; ++j) {
      a[i][j] /= pivot;
      b[i][j] /= pivot;
    }
    for (std::size_t k = 0; k < kTerms; ++k) {
      if (k == i || !active[k]) continue;
      const double factor = a[k][i];
      for (std::size_t j = 0; j < kTerms; ++j) {
        a[k][j] -= factor * a[i][j];
        b[k][j] -= factor * b[i][j];
      }
    }
  }
  return b;
}

// Terms that the equations determine: a pivot that is only rounding does not count.
std::array<bool, kTerms> told_apart(Matrix a, std::array<bool, kTerms> active) {
  constexpr double kRounding = 1e-10;
  for (std::size_t i = 0; i < kTerms; ++i) {
    const double size = a[i][i];
    for (std::size_t k = 0; k < i; ++k) {
      if (active[k] && a[k][k] > 0) a[i][i] -= a[k][i] * a[k][i] / a[k][k];
    }
    active[i] = active[i] && a[i][i] > kRounding * size;
    if (!active[i]) continue;
    for (std::size_t j = i + 1; j < kTerms; ++j) {
      for (std::size_t k = 0; k < i; ++k) {
        if (active[k]) a[i][j] -= a[k][i] * a[k][j] / a[k][k];
      }
    }
  }
  return active;
}

}  // namespace

Solution least_squares(std::span<const Equation> equations, double shared) {
  Matrix normal{};
  Row right{};
  std::array<bool, kTerms> active{};
  for (const Equation& equation : equations) {
    const double weight = 1 / equation.variance;
    for (std::size_t i = 0; i < kTerms; ++i) {
      const double weighed = equation.terms[i] * weight;
      active[i] = active[i] || equation.terms[i] != 0;
      right[i] += weighed * equation.value;
      for (std::size_t j = i; j < kTerms; ++j) normal[i][j] += weighed * equation.terms[j];
    }
  }
  for (std::size_t i = 1; i < kTerms; ++i) {
    for (std::size_t j = 0; j < i; ++j) normal[i][j] = normal[j][i];
  }
  active = told_apart(normal, active);
  while (true) {
    Solution estimate{.covariance = inverse(normal, active)};
    bool negative = false;
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) {
        estimate.value[i] += estimate.covariance[i][j] * right[j];
      }
      if (estimate.value[i] < 0) {
        active[i] = false;
        negative = true;
      }
    }
    if (negative) continue;
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) {
        estimate.covariance[i][j] += shared * shared * estimate.value[i] * estimate.value[j];
      }
    }
    return estimate;
  }
}

}  // namespace nmt::contention
