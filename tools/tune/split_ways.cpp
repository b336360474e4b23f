// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/split_ways.h"

#include <utility>

namespace nmt::tools {

std::vector<SplitWay> other_ways(const Advice& advice, const std::vector<std::string>& names,
                                 std::span<const nmt_share> shares, double size_bytes) {
  std::vector<runtime::PaperRail> rails;
  for (const nmt_share& share : shares) {
    Curve curve = runtime::split_curve_of(*advice, share.path);
    if (curve.empty()) return {};
    rails.push_back({std::move(curve), share.release_ns});
  }
  std::vector<SplitWay> ways;
  const auto add = [&](std::string name, std::vector<double> chunks) {
    const double end_ns = runtime::end_of(rails, chunks);
    ways.push_back({std::move(name), std::move(chunks), end_ns});
  };
  for (std::size_t i = 0; i < rails.size(); ++i) {
    std::vector<double> alone(rails.size());
    alone[i] = size_bytes;
    add("whole over " + names[i], std::move(alone));
  }
  if (rails.size() == 1) return ways;
  add("equal parts",
      std::vector<double>(rails.size(), size_bytes / static_cast<double>(rails.size())));
  if (rails.size() == 2) {
    const double first = runtime::dichotomy(rails[0], rails[1], size_bytes);
    add("dichotomy (paper)", {first, size_bytes - first});
  }
  add("asymptotic bandwidths (paper)", runtime::by_asymptotic_bandwidths(rails, size_bytes));
  return ways;
}

}  // namespace nmt::tools
