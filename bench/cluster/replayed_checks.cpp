// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of one rail, drawn from recorded launches.
#include <algorithm>
#include <map>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cluster/parts.h"
#include "bench/cluster/recorded.h"
#include "bench/row.h"
#include "cluster/cluster.h"
#include "core/statistics.h"
#include "sampler/sampler.h"

namespace nmt::bench {
namespace {

constexpr std::size_t kLaunches = 5;  // of the profile; the check has others
constexpr std::size_t kDecisionCells = 6;

// Launches of one rail in an order drawn at random: the first ones are the profile, the next ones
// the check.
class Replay {
 public:
  Replay(const Recorded& recorded, std::string_view rail, std::mt19937_64* random)
      : order_(launches_of(recorded, rail)) {
    std::shuffle(order_.begin(), order_.end(), *random);
    for (const auto& [cell, values] : recorded) {
      if (cell.rail != rail) continue;
      cells_.push_back({cell.size_bytes, &values});
      profile_.push_back({cell.size_bytes, before(values)});
    }
    choose(random);
  }

  // `ratio` times as long as before.
  bool is_slower(double ratio) const {
    return std::ranges::any_of(checked_, [&](std::size_t cell) { return is_slower(cell, ratio); });
  }

 private:
  using ByLaunch = std::map<std::size_t, double>;
  struct Cell {
    std::uint64_t size_bytes = 0;
    const ByLaunch* values = nullptr;
  };

  std::vector<double> launches(std::size_t first, std::size_t end, const ByLaunch& values) const {
    std::vector<double> some;
    for (std::size_t i = first; i < std::min(end, order_.size()); ++i) {
      const auto found = values.find(order_[i]);
      if (found != values.end()) some.push_back(found->second);
    }
    return some;
  }
  std::vector<double> before(const ByLaunch& values) const {
    return launches(0, kLaunches, values);
  }

  // As many as a check has: latency, bandwidth, and some on which decisions hang; which these are
  // depends on the machine, so they are drawn. All of them were in each launch of the profile.
  void choose(std::mt19937_64* random) {
    std::vector<std::size_t> often;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (profile_[i].launches_ns.size() == kLaunches) often.push_back(i);
    }
    if (often.empty()) return;
    // The fastest at the smallest size and at the largest one.
    const auto rank = [&](std::size_t i, bool largest) {
      const auto size = static_cast<double>(cells_[i].size_bytes);
      return std::pair(largest ? -size : size, median(profile_[i].launches_ns));
    };
    for (const bool largest : {false, true}) {
      checked_.push_back(
          *std::ranges::min_element(often, {}, [&](std::size_t i) { return rank(i, largest); }));
    }
    std::shuffle(often.begin(), often.end(), *random);
    often.resize(std::min(often.size(), kDecisionCells));
    checked_.insert(checked_.end(), often.begin(), often.end());
  }

  bool is_slower(std::size_t cell, double ratio) const {
    const cluster::SpotLimits limits{
        .tolerance = 0.05,
        .usual_spread = cluster::usual_spread_near(cells_[cell].size_bytes, profile_, kLaunches)};
    std::vector<double> now =
        launches(kLaunches, kLaunches + sampler::kSpotLaunches, *cells_[cell].values);
    for (double& each : now) each *= ratio;
    return cluster::judge_spot(profile_[cell].launches_ns, now, limits).spot ==
           cluster::Spot::kSlower;
  }

  std::vector<std::size_t> order_;
  std::vector<Cell> cells_;
  std::vector<cluster::CellLaunches> profile_;
  std::vector<std::size_t> checked_;
};

}  // namespace

void health_replays() {
  const Recorded recorded = read_recorded();
  const auto finds = [&](std::uint64_t seed, double ratio) {
    std::mt19937_64 random(seed);
    return Replay(recorded, "r0", &random).is_slower(ratio) ||
           Replay(recorded, "r1", &random).is_slower(ratio);
  };
  int alarms = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 30000; ++seed) alarms += finds(seed, 1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) found += finds(seed, 1.1);
  print_row(kGroup, "check: false alarms in 30,000 replays", alarms, "", Goal::kAtMost, 0);
  print_row(kGroup, "check: a change of 10 % is found", found, "of 20", Goal::kAtLeast, 19);
}

}  // namespace nmt::bench
