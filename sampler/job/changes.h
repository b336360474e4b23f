// SPDX-License-Identifier: BSD-3-Clause
//
// Where one more size is worth its time: between two at which other ways are best, while none is
// nearly as good at both. The choice has to change somewhere between them, and where is known by
// the distance of the two only. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace nmt {

struct TimesAtSize {
  std::uint64_t size_bytes = 0;
  std::map<std::size_t, double> by_way_ns;  // of one way at least
};

// Of sizes in increasing order, those (by index) between which and the next the choice changes.
std::vector<std::size_t> changes_after(std::span<const TimesAtSize> sizes);

// The geometric mean, to the KiB; the smaller size where there is no KiB between the two.
std::uint64_t size_between(std::uint64_t smaller_bytes, std::uint64_t larger_bytes);

}  // namespace nmt
