// SPDX-License-Identifier: BSD-3-Clause
//
// Least squares with coefficients that are not negative (Lawson and Hanson, "Solving Least Squares
// Problems", chapter 23): a time is a sum of costs, and no cost is below zero.
#pragma once

#include <vector>

namespace nmt::tuner {

struct WeightedRow {
  std::vector<double> terms;  // as many in every row
  double value = 0;
  double weight = 1;  // of the square of the row's error
};

// The coefficients that minimise the weighted sum of squares of `terms * coefficients - value`. A
// term that other terms explain as well gets 0. Empty if there are no rows.
std::vector<double> nonnegative_fit(const std::vector<WeightedRow>& rows);

}  // namespace nmt::tuner
