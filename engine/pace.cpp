// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pace.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nmt::engine {
namespace {

constexpr double kWeightMin = 1.0 / 8;  // of the newest transfer; the first ones weigh more
constexpr double kSurpriseMax = 0.08;   // a larger difference counts as this at first
constexpr double kFactorMax = 2;        // beyond this the profile is wrong: sample again

}  // namespace

std::size_t Pace::class_of(std::uint64_t size_bytes) {
  return std::min<std::size_t>(63, static_cast<std::size_t>(std::bit_width(size_bytes)));
}

void Pace::observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns) {
  if (!(predicted_ns > 0 && actual_ns > 0)) return;
  const std::size_t at = class_of(size_bytes);
  const double weight = std::max(kWeightMin, 1.0 / (2 + observed_[at]++));
  const double surprise = actual_ns / predicted_ns - factors_[at];
  int& in_a_row = in_a_row_[at];
  if (std::abs(surprise) <= kSurpriseMax || (surprise > 0) != (in_a_row > 0)) in_a_row = 0;
  const double surprise_max = kSurpriseMax * (1 + std::abs(in_a_row));
  if (std::abs(surprise) > kSurpriseMax) in_a_row += surprise > 0 ? 1 : -1;
  const double step = weight * std::clamp(surprise, -surprise_max, surprise_max);
  factors_[at] = std::clamp(factors_[at] + step, 1 / kFactorMax, kFactorMax);
}

}  // namespace nmt::engine
