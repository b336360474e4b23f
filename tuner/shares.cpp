// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/shares.h"

#include <cmath>

namespace nmt::tuner {

std::vector<double> shares_of(std::span<const std::uint64_t> sizes_bytes) {
  const std::size_t n = sizes_bytes.size();
  if (n == 1) return {1};
  std::vector<double> positions;
  for (const std::uint64_t size : sizes_bytes) {
    positions.push_back(std::log1p(static_cast<double>(size)));
  }
  std::vector<double> shares(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double to_left = i == 0 ? 0 : positions[i] - positions[i - 1];
    const double to_right = i == n - 1 ? 0 : positions[i + 1] - positions[i];
    shares[i] = (to_left + to_right) / 2 / (positions.back() - positions.front());
  }
  return shares;
}

}  // namespace nmt::tuner
