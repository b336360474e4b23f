// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/changes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nmt::sampler {
namespace {

constexpr double kNearlyAsGood = 0.03;  // of the best way's time: medians are no more precise

double least_ns(const TimesAtSize& size) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [way, ns] : size.by_way_ns) least = std::min(least, ns);
  return least;
}

// The loss of the way that loses least at the worse of both sizes; infinite without a common way.
double loss_of_one_way(const TimesAtSize& one, const TimesAtSize& other) {
  const double one_ns = least_ns(one), other_ns = least_ns(other);
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [way, ns] : one.by_way_ns) {
    const auto there = other.by_way_ns.find(way);
    if (there == other.by_way_ns.end()) continue;
    least = std::min(least, std::max(ns / one_ns, there->second / other_ns) - 1);
  }
  return least;
}

}  // namespace

std::vector<std::size_t> changes_after(std::span<const TimesAtSize> sizes) {
  std::vector<std::size_t> changes;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    if (loss_of_one_way(sizes[i], sizes[i + 1]) > kNearlyAsGood) changes.push_back(i);
  }
  return changes;
}

std::uint64_t size_between(std::uint64_t smaller_bytes, std::uint64_t larger_bytes) {
  constexpr std::uint64_t kKibibyte = 1024;
  constexpr std::uint64_t kNumber = 8;  // bytes of a double
  const double mean =
      std::sqrt(static_cast<double>(smaller_bytes) * static_cast<double>(larger_bytes));
  const std::uint64_t unit = mean < kKibibyte ? kNumber : kKibibyte;
  const auto units = std::round(mean / static_cast<double>(unit));
  const std::uint64_t between = static_cast<std::uint64_t>(units) * unit;
  return between > smaller_bytes && between < larger_bytes ? between : smaller_bytes;
}

}  // namespace nmt::sampler
