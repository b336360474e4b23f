// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/nonnegative_fit.h"

#include <gtest/gtest.h>

#include <random>

namespace nmt::tuner {
namespace {

double squares(const std::vector<WeightedRow>& rows, const std::vector<double>& coefficients) {
  double sum = 0;
  for (const WeightedRow& row : rows) {
    double error = -row.value;
    for (std::size_t i = 0; i < coefficients.size(); ++i) error += row.terms[i] * coefficients[i];
    sum += row.weight * error * error;
  }
  return sum;
}

TEST(NonnegativeFit, FindsThePlantedCoefficients) {
  std::vector<WeightedRow> rows;
  for (const double x : {1.0, 2.0, 4.0, 8.0}) {
    for (const double y : {0.0, 1e6, 3e6}) rows.push_back({{1, x, y}, 5 + 3 * x + 2e-6 * y, x});
  }
  const std::vector<double> fit = nonnegative_fit(rows);
  ASSERT_EQ(fit.size(), 3u);
  EXPECT_NEAR(fit[0], 5, 1e-6);
  EXPECT_NEAR(fit[1], 3, 1e-6);
  EXPECT_NEAR(fit[2], 2e-6, 1e-12);
}

TEST(NonnegativeFit, PutsACostThatWouldBeNegativeAtZero) {
  const std::vector<double> fit = nonnegative_fit({{{1, 0}, 4, 1}, {{1, 1}, 3, 1}, {{1, 2}, 2, 1}});
  ASSERT_EQ(fit.size(), 2u);
  EXPECT_NEAR(fit[0], 3, 1e-9);
  EXPECT_EQ(fit[1], 0);
}

TEST(NonnegativeFit, TakesTermsThatAreAlikeOrEmpty) {
  const std::vector<double> fit = nonnegative_fit({{{1, 1, 0}, 4, 1}, {{2, 2, 0}, 8, 1}});
  ASSERT_EQ(fit.size(), 3u);
  EXPECT_NEAR(fit[0] + fit[1], 4, 1e-9);
  EXPECT_EQ(fit[2], 0);
  EXPECT_TRUE(nonnegative_fit({}).empty());
}

// No coefficient can move alone, up or (if above 0) down, to a better sum: what defines the answer.
TEST(NonnegativeFit, CannotBeImprovedForRandomEquations) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> any;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<WeightedRow> rows(12);
    for (WeightedRow& row : rows) {
      for (int i = 0; i < 6; ++i) row.terms.push_back(any(random));
      row.terms.push_back(row.terms[0] + 2 * row.terms[1]);  // depends on others
      row.value = any(random);
      row.weight = 0.1 + std::abs(any(random));
    }
    const std::vector<double> fit = nonnegative_fit(rows);
    const double least = squares(rows, fit);
    for (std::size_t i = 0; i < fit.size(); ++i) {
      ASSERT_GE(fit[i], 0);
      for (const double step : {1e-4, -1e-4}) {
        std::vector<double> moved = fit;
        moved[i] = std::max(0.0, moved[i] + step);
        EXPECT_GE(squares(rows, moved), least - 1e-12) << trial;
      }
    }
  }
}

}  // namespace
}  // namespace nmt::tuner
