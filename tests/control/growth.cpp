// SPDX-License-Identifier: BSD-3-Clause
#include "tests/control/growth.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"

namespace nmt::testing {
namespace {

using Points = std::vector<std::pair<double, double>>;  // x, y

struct Line {
  double constant = 0, slope = 0;
};
Line line_through(const Points& points) {
  NMT_CHECK(points.size() >= 2);
  const auto count = static_cast<double>(points.size());
  double x_mean = 0, y_mean = 0, products = 0, squares = 0;
  for (const auto& [x, y] : points) {
    x_mean += x / count;
    y_mean += y / count;
  }
  for (const auto& [x, y] : points) {
    products += (x - x_mean) * (y - y_mean);
    squares += (x - x_mean) * (x - x_mean);
  }
  const double slope = products / squares;
  return {y_mean - slope * x_mean, slope};
}

}  // namespace

double exponent_of(const ByRanks& counted) {
  Points points;
  for (const auto& [ranks, y] : counted) points.emplace_back(std::log(ranks), std::log(y));
  return line_through(points).slope;
}

double LogFit::at(double ranks) const { return constant + slope * std::log2(ranks); }

LogFit fit_log2(const ByRanks& counted) {
  Points points;
  for (const auto& [ranks, y] : counted) points.emplace_back(std::log2(ranks), y);
  const Line line = line_through(points);
  LogFit fit{line.constant, line.slope};
  for (const auto& [ranks, y] : counted) {
    fit.error = std::max(fit.error, std::abs(fit.at(ranks) / y - 1));
  }
  return fit;
}

}  // namespace nmt::testing
