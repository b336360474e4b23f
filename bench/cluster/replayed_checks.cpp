// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of one rail, drawn from recorded launches.
#include <algorithm>
#include <map>
#include <random>
#include <string_view>
#include <vector>

#include "bench/cluster/parts.h"
#include "bench/cluster/recorded.h"
#include "bench/row.h"
#include "cluster/cluster.h"
#include "sampler/sampler.h"

namespace nmt::bench {
namespace {

// Whether a check finds a rail slower. Five launches are the profile; as many others as a check
// has, `ratio` times as long, are the check. All cells have the same launches.
bool check_finds(const Recorded& recorded, std::string_view rail, double ratio,
                 std::mt19937_64* random) {
  constexpr std::size_t kLaunches = 5, kAllLaunches = kLaunches + sampler::kSpotLaunches;
  std::vector<std::size_t> order = launches_of(recorded, rail);
  std::shuffle(order.begin(), order.end(), *random);
  const auto launches_in = [&](std::size_t first, std::size_t end,
                               const std::map<std::size_t, double>& values) {
    std::vector<double> some;
    for (std::size_t i = first; i < std::min(end, order.size()); ++i) {
      const auto found = values.find(order[i]);
      if (found != values.end()) some.push_back(found->second);
    }
    return some;
  };
  std::vector<cluster::CellLaunches> profile;
  for (const auto& [cell, values] : recorded) {
    if (cell.rail == rail) profile.push_back({cell.size_bytes, launches_in(0, kLaunches, values)});
  }
  for (const auto& [cell, values] : recorded) {
    const bool checked = cell.size_bytes == 1 || cell.size_bytes == 65536;
    if (cell.rail != rail || cell.method != "copy" || !checked) continue;
    const cluster::SpotLimits limits{
        .tolerance = 0.05,
        .usual_spread = cluster::usual_spread_near(cell.size_bytes, profile, kLaunches)};
    std::vector<double> now = launches_in(kLaunches, kAllLaunches, values);
    for (double& each : now) each *= ratio;
    const cluster::SpotVerdict verdict =
        cluster::judge_spot(launches_in(0, kLaunches, values), now, limits);
    if (verdict.spot == cluster::Spot::kSlower) return true;
  }
  return false;
}

}  // namespace

void health_replays() {
  const Recorded recorded = read_recorded();
  const auto finds = [&](std::uint64_t seed, double ratio) {
    std::mt19937_64 random(seed);
    const bool first = check_finds(recorded, "r0", ratio, &random);
    return check_finds(recorded, "r1", ratio, &random) || first;
  };
  int alarms = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 30000; ++seed) alarms += finds(seed, 1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) found += finds(seed, 1.1);
  print_row(kGroup, "check: false alarms in 30,000 replays", alarms, "", Goal::kAtMost, 0);
  print_row(kGroup, "check: a change of 10 % is found", found, "of 20", Goal::kAtLeast, 19);
}

}  // namespace nmt::bench
