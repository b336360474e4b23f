// SPDX-License-Identifier: BSD-3-Clause
//
// Where one more size is worth its time: between two sizes with different best ways, if no way is
// nearly as good at both. The choice must change between them, and only their distance says where.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace nmt::sampler {

struct TimesAtSize {
  std::uint64_t size_bytes = 0;
  std::map<std::size_t, double> by_way_ns;  // of at least one way
};

// Sizes ascend. Returns the indices of sizes between which and the next size the choice changes.
std::vector<std::size_t> changes_after(std::span<const TimesAtSize> sizes);

// The geometric mean, rounded to a KiB, below one KiB to a multiple of 8 B; the smaller size if
// none of these is between the two.
std::uint64_t size_between(std::uint64_t smaller_bytes, std::uint64_t larger_bytes);

}  // namespace nmt::sampler
