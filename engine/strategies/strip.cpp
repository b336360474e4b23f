// SPDX-License-Identifier: BSD-3-Clause
//
// The strategy of 2007 (paper "multi-rail strategies", 3.4): if all rails are idle, large packets
// are split by one fixed ratio, that of the rails' sampled bandwidths; else the first idle rail
// takes the whole packet. Small packets as in `aggregate`.
#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/strategy.h"

namespace nmt::engine {
namespace {

// Far beyond any start-up, so the duration shows the slope of the curve.
constexpr std::uint64_t kAsymptoticBytes = std::uint64_t{1} << 40;

// The share of each lane; empty if one lane was not measured.
std::vector<double> ratios(const Outlet& outlet) {
  std::vector<double> ratios;
  for (const Lane& lane : outlet.lanes()) {
    const std::optional<double> duration_ns =
        outlet.advice().duration_ns(lane.path, kAsymptoticBytes);
    if (!duration_ns) return {};
    ratios.push_back(1 / *duration_ns);
  }
  const double sum = std::accumulate(ratios.begin(), ratios.end(), 0.0);
  for (double& ratio : ratios) ratio /= sum;
  return ratios;
}

}  // namespace

void schedule_strip(Outlet& outlet) {
  send_small_together(outlet);
  while (!outlet.window().large.empty()) {
    const bool all_idle =
        std::ranges::all_of(outlet.lanes(), [](const Lane& lane) { return lane.takes_large; });
    const std::vector<double> ratio = all_idle ? ratios(outlet) : std::vector<double>{};
    if (ratio.empty()) return send_large_whole(outlet);
    const std::uint64_t size_bytes = outlet.window().large.front().label.body_bytes;
    std::uint64_t left_bytes = size_bytes;
    for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
      const bool last = lane + 1 == outlet.lanes().size();
      const auto share_bytes =
          static_cast<std::uint64_t>(ratio[lane] * static_cast<double>(size_bytes));
      const std::uint64_t chunk_bytes = last ? left_bytes : std::min(share_bytes, left_bytes);
      left_bytes -= chunk_bytes;
      if (outlet.send_large(lane, 0, chunk_bytes)) break;
    }
  }
}

}  // namespace nmt::engine
