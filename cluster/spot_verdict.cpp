// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/spot_verdict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/statistics.h"

namespace nmt::cluster {

std::string_view to_string(Spot spot) {
  switch (spot) {
    case Spot::kAgrees:
      return "agrees";
    case Spot::kSlower:
      return "slower";
    case Spot::kFaster:
      return "faster";
    case Spot::kCannotSay:
      break;
  }
  return "cannot say";
}

double launch_spread(std::span<const double> launches_ns) {
  if (launches_ns.size() < 2) return 0;
  constexpr double kOfNormal = 1.4826;  // standard deviation over median distance
  const double middle = std::log(median(launches_ns));
  std::vector<double> distances;
  for (const double each : launches_ns) distances.push_back(std::abs(std::log(each) - middle));
  return kOfNormal * median(distances);
}

double usual_spread(std::span<const std::vector<double>> cells_ns, std::size_t launches_min) {
  std::vector<double> spreads;
  for (const std::vector<double>& launches_ns : cells_ns) {
    if (launches_ns.size() >= launches_min) spreads.push_back(launch_spread(launches_ns));
  }
  return spreads.empty() ? 0 : median(spreads);
}

double usual_spread_near(std::uint64_t size_bytes, std::span<const CellLaunches> cells,
                         std::size_t launches_min) {
  constexpr std::size_t kCells = 12;
  const double here = std::log1p(static_cast<double>(size_bytes));
  std::vector<std::pair<double, double>> spreads;  // by distance in size
  for (const CellLaunches& cell : cells) {
    if (cell.launches_ns.size() < launches_min) continue;
    spreads.emplace_back(std::abs(std::log1p(static_cast<double>(cell.size_bytes)) - here),
                         launch_spread(cell.launches_ns));
  }
  std::ranges::stable_sort(spreads, {}, &std::pair<double, double>::first);
  spreads.resize(std::min(spreads.size(), kCells));
  std::vector<double> near;
  for (const auto& [distance, spread] : spreads) near.push_back(spread);
  return near.empty() ? 0 : median(near);
}

namespace {

// Of many launches, without the fastest and the slowest: one that was disturbed must not hide what
// has changed.
std::pair<double, double> usual_range(std::span<const double> launches_ns) {
  std::vector<double> sorted(launches_ns.begin(), launches_ns.end());
  std::ranges::sort(sorted);
  const std::size_t left_out = sorted.size() >= kProfileLaunchesMin ? 1 : 0;
  return {sorted[left_out], sorted[sorted.size() - 1 - left_out]};
}

}  // namespace

SpotVerdict judge_spot(std::span<const double> profile_ns, std::span<const double> now_ns,
                       const SpotLimits& limits) {
  if (profile_ns.empty() || now_ns.size() < kSpotLaunchesMin) return {};
  const double usual_ns = median(profile_ns);
  if (!(usual_ns > 0) || !(std::ranges::min(now_ns) > 0)) return {};
  const double spread = std::hypot(launch_spread(profile_ns), limits.usual_spread) / std::sqrt(2);
  const double limit = std::exp(std::max(std::log1p(limits.tolerance), kSpotDeviations * spread));
  const auto [fastest, slowest] = usual_range(profile_ns);
  const auto [now_fastest, now_slowest] = std::ranges::minmax(now_ns);
  SpotVerdict verdict{.spot = Spot::kAgrees, .ratio = median(now_ns) / usual_ns};
  if (now_fastest > std::max(slowest, limit * usual_ns)) {
    verdict.spot = Spot::kSlower;
  } else if (now_slowest < std::min(fastest, usual_ns / limit)) {
    verdict.spot = Spot::kFaster;
  }
  if (verdict.spot != Spot::kAgrees && profile_ns.size() < kProfileLaunchesMin) {
    verdict.spot = Spot::kCannotSay;
  }
  return verdict;
}

}  // namespace nmt::cluster
