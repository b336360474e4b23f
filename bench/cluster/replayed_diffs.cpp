// SPDX-License-Identifier: BSD-3-Clause
//
// Histories of one rail, drawn from recorded launches: what diff says of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cluster/parts.h"
#include "bench/cluster/recorded.h"
#include "bench/row.h"
#include "cluster/cluster.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

// A history of launches of one rail, drawn from the recorded ones and split at random.
class Replay {
 public:
  struct Choice {
    std::string_view rail;
    std::uint64_t seed = 0;
    std::size_t of_side = 0;      // launches; 0: as many as there are
    bool half_disturbed = false;  // by a neighbour, the same share of both sides
  };
  Replay(const RecordedLaunches& recorded, const Choice& choice) : random_(choice.seed) {
    for (const auto& [cell, values] : recorded.durations_ns) {
      if (cell.rail == choice.rail) cells_.emplace_back(cell, &values);
    }
    std::vector<std::size_t> quiet, disturbed;
    for (const std::size_t launch : launches_of(recorded.durations_ns, choice.rail)) {
      (recorded.disturbed.contains(launch) ? disturbed : quiet).push_back(launch);
    }
    shuffle(&quiet);
    shuffle(&disturbed);
    if (!choice.half_disturbed) {
      order_ = quiet;
      if (choice.of_side > 0) order_.resize(2 * choice.of_side);
      return;
    }
    // Half of an odd number is one less or one more, by turns.
    const std::size_t fewest = std::min(quiet.size(), disturbed.size()) / 2;
    const std::size_t of_side = choice.of_side > 0 ? choice.of_side : 2 * fewest;
    const std::size_t bad = (of_side + choice.seed / 2 % 2) / 2, good = of_side - bad;
    std::vector<std::size_t> sides[2];
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < good; ++i) sides[side].push_back(quiet[side * good + i]);
      for (std::size_t i = 0; i < bad; ++i) sides[side].push_back(disturbed[side * bad + i]);
      shuffle(&sides[side]);
    }
    for (std::size_t i = 0; i < of_side; ++i) {
      order_.insert(order_.end(), {sides[0][i], sides[1][i]});
    }
  }

  // `ratio` of what was sent by `method`, after.
  cluster::Changes changes(std::string_view method, double ratio) const {
    std::vector<std::size_t> rails(cells_.size(), 0);
    std::vector<cluster::LaunchTime> times;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      for (std::size_t i = 0; i < order_.size(); ++i) {
        const auto found = cells_[cell].second->find(order_[i]);
        if (found == cells_[cell].second->end()) continue;
        const bool after = i % 2 == 1;
        const bool changed = after && cells_[cell].first.method == method;
        times.push_back({cell, after, i / 2, found->second * (changed ? ratio : 1)});
      }
    }
    return cluster::find_changes(rails, times);
  }
  bool is(std::size_t cell, std::string_view method) const {
    return cells_[cell].first.method == method;
  }

 private:
  void shuffle(std::vector<std::size_t>* launches) {
    for (std::size_t i = launches->size(); i > 1; --i) {
      std::swap((*launches)[i - 1], (*launches)[draw(random_, i)]);
    }
  }

  std::mt19937_64 random_;
  std::vector<std::pair<RecordedCell, const std::map<std::size_t, double>*>> cells_;
  std::vector<std::size_t> order_;  // one before, one after, and so on
};

std::string_view rail_of(std::uint64_t seed) { return seed % 2 == 0 ? "r0" : "r1"; }

void unchanged_replays(const RecordedLaunches& recorded, std::size_t of_side, bool half_disturbed) {
  int alarms = 0;
  constexpr int kReplays = 1000;
  for (std::uint64_t seed = 1; seed <= kReplays; ++seed) {
    const Replay replay(recorded, {rail_of(seed), seed, of_side, half_disturbed});
    const cluster::Changes changes = replay.changes("", 1);
    alarms += std::ranges::any_of(changes.cells, &cluster::Change::beyond_noise);
  }
  const std::string sides = of_side > 0 ? ", five launches a side" : "";
  const std::string noise = half_disturbed ? ", a neighbour's noise in half" : "";
  print_row(kGroup, "diff of an unchanged machine, 1000 replays" + sides + noise + ": alarms",
            100.0 * alarms / kReplays, "%", Goal::kAtMost, 1);
}

// One method became slower by 5 %, or by 10 %.
void changed_replays(const RecordedLaunches& recorded, std::size_t of_side, bool large) {
  const double ratio = large ? 1.10 : 1.05;
  int found = 0;
  std::vector<double> errors;
  constexpr int kTimes = 100;
  for (std::uint64_t seed = 1; seed <= kTimes; ++seed) {
    const Replay replay(recorded, {rail_of(seed), 1000 + seed, of_side});
    bool named = false;
    for (const cluster::Change& each : replay.changes("rendezvous", ratio).cells) {
      if (!each.beyond_noise || !replay.is(each.cell, "rendezvous")) continue;
      named |= each.ratio > 1;
      errors.push_back(100 * std::abs(each.ratio - ratio));
    }
    found += named;
  }
  const std::string what = fmt::format("diff: a change of {} % in one method{}", large ? 10 : 5,
                                       of_side > 0 ? ", five launches a side" : "");
  if (of_side > 0) {  // the goal is of histories as long as those that were recorded
    print_row(kGroup, what + ": found", found, "of 100");
  } else {
    print_row(kGroup, what + ": found", found, "of 100", Goal::kAtLeast, large ? 95 : 80);
  }
  if (errors.empty()) return;
  print_row(kGroup, what + ": error of that ratio, median", median(errors), "points", Goal::kAtMost,
            2);
}

}  // namespace

void diff_replays() {
  const RecordedLaunches recorded = read_launches();
  for (const bool half_disturbed : {false, true}) {
    if (half_disturbed && recorded.disturbed.empty()) {
      std::fprintf(stderr,
                   "cluster: no launch beside a neighbour is recorded; see --part record\n");
      continue;
    }
    for (const std::size_t of_side : {0, 5}) unchanged_replays(recorded, of_side, half_disturbed);
  }
  for (const std::size_t of_side : {0, 5}) {
    for (const bool large : {false, true}) changed_replays(recorded, of_side, large);
  }
}

}  // namespace nmt::bench
