// SPDX-License-Identifier: BSD-3-Clause
//
// Generalized least squares of a few terms. Each value has its own error, and all values share one
// error as a factor: Sigma = diag(variance_i) + tau^2 f f', where f is the fitted value.
//
// Private. The inverse of such a Sigma is that of its diagonal minus a matrix of rank one (Sherman
// and Morrison), so for gamma and delta the solution is that of two equations. Because f is the
// fitted and not the measured value, the shared error changes no estimate, only their covariance.
// With measured values it would make all estimates too small (Peelle's puzzle).
#pragma once

#include <array>
#include <span>

namespace nmt::contention {

inline constexpr std::size_t kTerms = 3;  // gamma, delta, processor time

struct Equation {
  std::array<double, kTerms> terms{};
  double value = 0;
  double variance = 1;  // of this value alone
};

struct Solution {
  std::array<double, kTerms> value{};
  std::array<std::array<double, kTerms>, kTerms> covariance{};
};

// No estimate is below 0. A term that would be, or that no equation has, is 0 with no covariance.
// `shared` is tau.
Solution least_squares(std::span<const Equation> equations, double shared);

}  // namespace nmt::contention
