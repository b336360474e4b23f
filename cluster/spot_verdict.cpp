// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/spot_verdict.h"

#include <algorithm>

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

SpotVerdict judge_spot(std::span<const double> profile_ns, std::span<const double> now_ns,
                       double tolerance) {
  if (profile_ns.empty() || now_ns.size() < kSpotLaunchesMin) return {};
  const double usual_ns = median(profile_ns);
  if (!(usual_ns > 0)) return {};
  SpotVerdict verdict{.spot = Spot::kAgrees, .ratio = median(now_ns) / usual_ns};
  const bool differs = verdict.ratio > 1 + tolerance || verdict.ratio < 1 / (1 + tolerance);
  if (differs && profile_ns.size() < kProfileLaunchesMin) {
    verdict.spot = Spot::kCannotSay;
  } else if (verdict.ratio > 1 + tolerance &&
             std::ranges::min(now_ns) > std::ranges::max(profile_ns)) {
    verdict.spot = Spot::kSlower;
  } else if (verdict.ratio < 1 / (1 + tolerance) &&
             std::ranges::max(now_ns) < std::ranges::min(profile_ns)) {
    verdict.spot = Spot::kFaster;
  }
  return verdict;
}

}  // namespace nmt::cluster
