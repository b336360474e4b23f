// SPDX-License-Identifier: BSD-3-Clause
#include "contention/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace nmt::contention {
namespace {

std::vector<Equation> random_equations(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.5, 2);
  std::vector<Equation> equations;
  for (int i = 0; i < 12; ++i) {
    const double x = uniform(random);
    const double large = i < 6 ? 0 : 1;
    equations.push_back({.terms = {x, large, 0},
                         .value = 3 * x + 5 * large + 0.01 * uniform(random),
                         .variance = 1e-4 * uniform(random)});
  }
  return equations;
}

// The same by the whole matrix: (X' S^-1 X)^-1 X' S^-1 y, S = diag + tau^2 f f'.
struct Dense {
  double value[2];
  double covariance[2][2];
};
Dense dense(const std::vector<Equation>& equations, double tau, const std::vector<double>& f) {
  const std::size_t n = equations.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 3));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = tau * tau * f[i] * f[j];
    a[i][i] += equations[i].variance;
    a[i][n] = equations[i].terms[0];
    a[i][n + 1] = equations[i].terms[1];
    a[i][n + 2] = equations[i].value;
  }
  for (std::size_t i = 0; i < n; ++i) {  // S^-1 [X y], by elimination
    for (std::size_t j = n + 3; j-- > i;) a[i][j] /= a[i][i];
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      for (std::size_t j = n + 3; j-- > i;) a[k][j] -= a[k][i] * a[i][j];
    }
  }
  double m[2][3] = {};
  for (std::size_t i = 0; i < n; ++i) {
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 3; ++c) m[r][c] += equations[i].terms[r] * a[i][n + c];
    }
  }
  const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return {{(m[1][1] * m[0][2] - m[0][1] * m[1][2]) / det,
           (m[0][0] * m[1][2] - m[1][0] * m[0][2]) / det},
          {{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}};
}

TEST(LeastSquares, IsWhatTheWholeCovarianceMatrixGives) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Equation> equations = random_equations(seed);
    constexpr double kTau = 0.05;
    const Solution solution = least_squares(equations, kTau);
    std::vector<double> fitted;
    for (const Equation& equation : equations) {
      fitted.push_back(equation.terms[0] * solution.value[0] +
                       equation.terms[1] * solution.value[1]);
    }
    const Dense whole = dense(equations, kTau, fitted);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(solution.value[i], whole.value[i], 1e-9 * whole.value[i]);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(solution.covariance[i][j], whole.covariance[i][j],
                    1e-6 * std::abs(whole.covariance[i][j]));
      }
    }
  }
}

TEST(LeastSquares, LeavesOutWhatWouldBeNegative) {
  std::vector<Equation> equations = random_equations(1);
  for (Equation& equation : equations) equation.value -= 7 * equation.terms[1];
  const Solution solution = least_squares(equations, 0);
  EXPECT_EQ(solution.value[1], 0);
  EXPECT_EQ(solution.covariance[1][1], 0);
  EXPECT_GT(solution.value[0], 0);
}

TEST(LeastSquares, LeavesOutTermsThatCannotBeToldApart) {
  std::vector<Equation> equations = random_equations(1);
  for (Equation& equation : equations) equation.terms[2] = 2 * equation.terms[0];
  const Solution solution = least_squares(equations, 0);
  EXPECT_EQ(solution.value[2], 0);
  EXPECT_NEAR(solution.value[0], 3, 0.05);
}

TEST(LeastSquares, WeighsByVariance) {
  const std::vector<Equation> equations = {{.terms = {1, 0, 0}, .value = 1, .variance = 1},
                                           {.terms = {1, 0, 0}, .value = 4, .variance = 0.5}};
  EXPECT_DOUBLE_EQ(least_squares(equations, 0).value[0], 3);
}

}  // namespace
}  // namespace nmt::contention
