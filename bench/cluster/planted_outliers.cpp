// SPDX-License-Identifier: BSD-3-Clause
//
// Slow nodes and links, planted into clusters with noise that was recorded.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/cluster/parts.h"
#include "bench/cluster/recorded.h"
#include "bench/row.h"
#include "cluster/cluster.h"
#include "sampler/job/pair_rounds.h"

namespace nmt::bench {
namespace {

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

}  // namespace

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

}  // namespace nmt::bench
