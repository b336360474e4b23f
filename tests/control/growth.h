// SPDX-License-Identifier: BSD-3-Clause
//
// How something grows with the number of ranks, from what was counted at several numbers.
#pragma once

#include <map>

namespace nmt::testing {

using ByRanks = std::map<int, double>;

// The exponent p of y = c N^p, by least squares on logarithms: 1 is O(N), near 0 a logarithm or
// less. At least two numbers of ranks, all values above 0.
double exponent_of(const ByRanks& counted);

// y = constant + slope log2(N), by least squares; `error` is the largest |fitted / y - 1|. Only
// what grows as a logarithm is fitted well.
struct LogFit {
  double constant = 0, slope = 0, error = 0;
  double at(double ranks) const;
};
LogFit fit_log2(const ByRanks& counted);

}  // namespace nmt::testing
