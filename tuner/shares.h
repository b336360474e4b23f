// SPDX-License-Identifier: BSD-3-Clause
//
// The weight of each measured size: its part of all message sizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nmt::tuner {

// For each of these ascending sizes, the part of the logarithmic axis nearest to it; the sum is 1.
std::vector<double> shares_of(std::span<const std::uint64_t> sizes_bytes);

}  // namespace nmt::tuner
