// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pace.h"

#include <algorithm>
#include <bit>

namespace nmt::engine {
namespace {

constexpr double kWeight = 1.0 / 8;  // of the newest transfer
constexpr double kStepMax = 0.01;    // by which one transfer moves a factor
constexpr double kFactorMax = 2;     // beyond this it is another machine: sample it again

}  // namespace

std::size_t Pace::class_of(std::uint64_t size_bytes) {
  return std::min<std::size_t>(63, static_cast<std::size_t>(std::bit_width(size_bytes)));
}

void Pace::observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns) {
  if (!(predicted_ns > 0 && actual_ns > 0)) return;
  double& factor = factors_[class_of(size_bytes)];
  const double step = kWeight * (actual_ns / predicted_ns - factor);
  factor = std::clamp(factor + std::clamp(step, -kStepMax, kStepMax), 1 / kFactorMax, kFactorMax);
}

}  // namespace nmt::engine
