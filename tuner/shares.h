// SPDX-License-Identifier: BSD-3-Clause
//
// How much of all message sizes each measured size stands for: the weight of its regret.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nmt {

// The part of the logarithmic axis that is nearest to each of these ascending sizes; together 1.
std::vector<double> shares_of(std::span<const std::uint64_t> sizes_bytes);

}  // namespace nmt
