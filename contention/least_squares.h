// SPDX-License-Identifier: BSD-3-Clause
//
// Generalized least squares of a few terms, with errors of each value's own and one error that all
// values share as a factor: Sigma = diag(variance_i) + tau^2 f f', f being what is fitted.
//
// Private. The inverse of such a Sigma is that of its diagonal minus a matrix of rank one
// (Sherman and Morrison), so that for gamma and delta the solution is that of two equations. With f
// the fitted values and not the measured ones, the shared error moves no estimate, only their
// covariance; with measured values it would draw all estimates down (Peelle's puzzle).
#pragma once

#include <array>
#include <span>

namespace nmt {

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

// No estimate is below 0: a term that would be, or that no equation has, is 0 with no covariance.
// `shared` is tau.
Solution least_squares(std::span<const Equation> equations, double shared);

}  // namespace nmt
