// SPDX-License-Identifier: BSD-3-Clause
//
// The group "cluster": nodes and links out of line, changes over time and checks, planted into
// noise that was recorded (bench/cluster/recorded.h), and on hosts of the lab (live.h), which needs
// root. Its parts may be named as arguments.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cluster/live.h"
#include "bench/cluster/recorded.h"
#include "bench/row.h"
#include "cluster/cluster.h"
#include "core/statistics.h"
#include "sampler/job/pair_rounds.h"

namespace nmt::bench {
namespace {

constexpr const char* kGroup = "cluster";
constexpr std::size_t kNodes = 64;

std::string host(std::size_t node) { return "n" + std::to_string(100 + node); }
std::size_t node_of(const std::string& host) { return std::stoul(host.substr(1)) - 100; }

std::vector<sampler::Round> first_rounds() {
  return sampler::rounds_of_some_pairs(kNodes, cluster::rounds_to_tell(kNodes));
}

// One cluster, measured as a campaign of a job does: log2(N) rounds, then rounds of what is
// suspected.
class PlantedCluster {
 public:
  PlantedCluster(const std::vector<LaunchNoise>& noise, std::uint64_t seed, std::size_t slow_node,
                 const sampler::NodePair& slow_link)
      : noise_(noise), random_(seed), slow_node_(slow_node), slow_link_(slow_link) {
    for (const sampler::Round& round : first_rounds()) measure(round);
    for (std::size_t i = 0; i < cluster::kSuspectedRoundsMax; ++i) {
      std::vector<sampler::NodePair> pairs;
      std::set<std::pair<std::size_t, std::size_t>> known;
      for (const cluster::NextPair& next : cluster::find_outliers(times_).next) {
        const auto ends = std::minmax({node_of(next.near), node_of(next.far)});
        if (known.insert(ends).second) pairs.push_back({ends.first, ends.second});
      }
      if (pairs.empty()) break;
      measure(sampler::rounds_of(pairs).front());
    }
    found_ = cluster::find_outliers(times_).outliers;
  }

  const std::vector<cluster::Outlier>& found() const { return found_; }

 private:
  void measure(const sampler::Round& round) {
    ++launch_;
    for (const sampler::NodePair& pair : round) {
      const LaunchNoise& noise = noise_[draw(random_, noise_.size())];
      double slower = 0;
      if (pair.near == slow_node_ || pair.far == slow_node_) slower += std::log(1.1);
      if (pair == slow_link_) slower += std::log(1.2);
      for (const bool small : {true, false}) {
        const double log = small ? noise.latency : noise.bandwidth;
        times_.push_back({.near = host(pair.near),
                          .far = host(pair.far),
                          .rail = "tcp:e0",
                          .size_bytes = small ? 1u : 65536u,
                          .launch = std::to_string(launch_),
                          .duration_ns = 1e4 * std::exp(log + slower)});
      }
    }
  }

  const std::vector<LaunchNoise>& noise_;
  std::mt19937_64 random_;
  std::size_t slow_node_;
  sampler::NodePair slow_link_;
  int launch_ = 0;
  std::vector<cluster::PairTime> times_;
  std::vector<cluster::Outlier> found_;
};

void planted_outliers() {
  const std::vector<LaunchNoise> noise = launch_noise(read_recorded());
  constexpr int kSeeds = 300;
  int nodes = 0, links = 0, mistaken = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<sampler::Round> rounds = first_rounds();
    const sampler::Round& round = rounds[draw(random, rounds.size())];
    const sampler::NodePair link = round[draw(random, round.size())];
    std::size_t node = draw(random, kNodes);
    while (node == link.near || node == link.far) node = draw(random, kNodes);
    bool node_found = false, link_found = false, wrong = false;
    const PlantedCluster cluster(noise, seed, node, link);
    for (const cluster::Outlier& each : cluster.found()) {
      const bool is_node = each.culprit == cluster::Culprit::kNode && each.node == host(node);
      const bool is_link = each.culprit == cluster::Culprit::kLink &&
                           each.node == host(link.near) && each.peer == host(link.far);
      node_found |= is_node;
      link_found |= is_link;
      wrong |= !is_node && !is_link;
    }
    nodes += node_found;
    links += link_found;
    mistaken += wrong;
  }
  print_row(kGroup, "64 nodes: the node slower by 10 % is named", 100.0 * nodes / kSeeds, "%",
            Goal::kAtLeast, 95);
  print_row(kGroup, "64 nodes: the link slower by 20 % is named", 100.0 * links / kSeeds, "%",
            Goal::kAtLeast, 95);
  print_row(kGroup, "64 nodes: anything else is named too", 100.0 * mistaken / kSeeds, "%",
            Goal::kAtMost, 5);
}

void without_fault() {
  const std::vector<LaunchNoise> noise = launch_noise(read_recorded());
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    if (!PlantedCluster(noise, seed, kNodes, {kNodes, kNodes}).found().empty()) ++alarms;
  }
  print_row(kGroup, "1000 clusters without a fault: with any alarm", alarms, "", Goal::kAtMost, 4);
}

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
  for (const double ratio : {1.05, 1.10}) {
    int found = 0;
    std::vector<double> errors;
    constexpr int kTimes = 100;
    for (std::uint64_t seed = 1; seed <= kTimes; ++seed) {
      const Replay replay(recorded, {.rail = rail_of(seed), .seed = 1000 + seed});
      bool named = false;
      for (const cluster::Change& each : replay.changes("rendezvous", ratio).cells) {
        if (!each.beyond_noise || !replay.is(each.cell, "rendezvous")) continue;
        named |= each.ratio > 1;
        errors.push_back(100 * std::abs(each.ratio - ratio));
      }
      found += named;
    }
    const std::string what = ratio < 1.07 ? "5 %" : "10 %";
    print_row(kGroup, "diff: a change of " + what + " in one method is found", found, "of 100",
              Goal::kAtLeast, ratio < 1.07 ? 80 : 95);
    if (!errors.empty()) {
      print_row(kGroup, "diff: error of that ratio, median", median(errors), "points",
                Goal::kAtMost, 2);
    }
  }
}

// Whether a check finds a rail slower. Five launches are the profile; five others, `ratio` times as
// long, are the check, and five more its repetition. All cells have the same launches.
bool check_finds(const Recorded& recorded, std::string_view rail, double ratio,
                 std::mt19937_64* random) {
  constexpr std::size_t kLaunches = 5;
  std::vector<std::size_t> order = launches_of(recorded, rail);
  std::shuffle(order.begin(), order.end(), *random);
  const auto launches_from = [&](std::size_t first, const std::map<std::size_t, double>& values) {
    std::vector<double> some;
    for (std::size_t i = first; i < std::min(first + kLaunches, order.size()); ++i) {
      const auto found = values.find(order[i]);
      if (found != values.end()) some.push_back(found->second);
    }
    return some;
  };
  std::vector<cluster::CellLaunches> profile;
  for (const auto& [cell, values] : recorded) {
    if (cell.rail == rail) profile.push_back({cell.size_bytes, launches_from(0, values)});
  }
  for (const auto& [cell, values] : recorded) {
    const bool checked = cell.size_bytes == 1 || cell.size_bytes == 65536;
    if (cell.rail != rail || cell.method != "copy" || !checked) continue;
    const cluster::SpotLimits limits{
        .tolerance = 0.05,
        .usual_spread = cluster::usual_spread_near(cell.size_bytes, profile, kLaunches)};
    const std::map<std::size_t, double>& of_cell = values;
    const auto look_at = [&](std::size_t first) {
      std::vector<double> now = launches_from(first, of_cell);
      for (double& each : now) each *= ratio;
      return cluster::judge_spot(launches_from(0, of_cell), now, limits);
    };
    const cluster::SpotVerdict verdict =
        cluster::of_both(look_at(kLaunches), look_at(2 * kLaunches));
    if (verdict.spot == cluster::Spot::kSlower) return true;
  }
  return false;
}

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

struct Part {
  std::string_view name;
  void (*run)();
  bool asked_only = false;  // not without its name
};
constexpr Part kParts[] = {{"outliers", planted_outliers},   {"without-fault", without_fault},
                           {"diff", diff_replays},           {"health", health_replays},
                           {"slow-port", slow_port},         {"unchanged-rails", unchanged_rails},
                           {"checked-rails", checked_rails}, {"many-ranks", many_ranks},
                           {"record", record_launches, true}};

}  // namespace
}  // namespace nmt::bench

int main(int argc, char** argv) {
  for (const nmt::bench::Part& part : nmt::bench::kParts) {
    bool wanted = argc == 1 && !part.asked_only;
    for (int i = 1; i < argc; ++i) wanted |= part.name == argv[i];
    if (wanted) part.run();
  }
}
