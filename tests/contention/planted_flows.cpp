// SPDX-License-Identifier: BSD-3-Clause
#include "tests/contention/planted_flows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace nmt::planted {
namespace {

constexpr double kMessageNs = 1e6;  // alone
constexpr double kEnded = 1e-9;     // what is left of a message then

struct Flow {
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<std::size_t> links;
  double left = 1;  // of the message
  double rate = 0;
  double end = 0;
};

// NICs out and in, uplinks up and down.
std::vector<std::size_t> links_of(std::size_t from, std::size_t to, const FlowNetwork& network) {
  const std::size_t nodes = network.leaf_of.size();
  std::vector<std::size_t> links = {from, nodes + to};
  const std::size_t up = network.leaf_of[from], down = network.leaf_of[to];
  if (up != down) {
    links.push_back(2 * nodes + 2 * up);
    links.push_back(2 * nodes + 2 * down + 1);
  }
  return links;
}

double speed_of(std::size_t link, const FlowNetwork& network) {
  const std::size_t nodes = network.leaf_of.size();
  return link >= 2 * nodes ? network.uplink : network.nic[link % nodes];
}

// The narrowest link gives all its flows the same share, then the next one what is left.
void share(std::vector<Flow*> flows, const FlowNetwork& network) {
  std::map<std::size_t, double> left;
  while (!flows.empty()) {
    std::map<std::size_t, double> users;
    for (const Flow* flow : flows) {
      for (const std::size_t link : flow->links) {
        users[link] += 1;
        left.emplace(link, speed_of(link, network));
      }
    }
    std::size_t narrowest = users.begin()->first;
    for (const auto& [link, count] : users) {
      if (left[link] / count < left[narrowest] / users[narrowest]) narrowest = link;
    }
    const double rate = left[narrowest] / users[narrowest];
    std::erase_if(flows, [&](Flow* flow) {
      if (std::ranges::find(flow->links, narrowest) == flow->links.end()) return false;
      flow->rate = rate;
      for (const std::size_t link : flow->links) left[link] = std::max(left[link] - rate, kEnded);
      return true;
    });
  }
}

void run(std::vector<Flow>& flows, const FlowNetwork& network) {
  double now = 0;
  while (true) {
    std::vector<Flow*> alive;
    for (Flow& flow : flows) {
      if (flow.left > kEnded) alive.push_back(&flow);
    }
    if (alive.empty()) return;
    share(alive, network);
    double step = std::numeric_limits<double>::infinity();
    for (const Flow* flow : alive) step = std::min(step, flow->left / flow->rate);
    now += step;
    for (Flow* flow : alive) {
      flow->left -= flow->rate * step;
      flow->end = now;
    }
  }
}

}  // namespace

FlowNetwork random_placement(std::size_t nodes, std::size_t leaf, double uplink,
                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t leaves = 2 * ((nodes + leaf - 1) / leaf) + 1;
  while (true) {
    FlowNetwork network{.leaf_of = {}, .uplink = uplink, .nic = {}};
    std::vector<std::size_t> places(leaves * leaf);
    std::iota(places.begin(), places.end(), 0u);
    if (random() % 2 == 0) {
      std::shuffle(places.begin(), places.end(), random);
    } else {
      std::rotate(places.begin(), places.begin() + static_cast<long>(random() % leaf),
                  places.end());
    }
    std::map<std::size_t, std::size_t> count;
    for (std::size_t i = 0; i < nodes; ++i) {
      network.leaf_of.push_back(places[i] / leaf);
      ++count[network.leaf_of.back()];
    }
    std::shuffle(network.leaf_of.begin(), network.leaf_of.end(), random);
    if (std::ranges::count_if(count, [](const auto& each) { return each.second >= 2; }) >= 2) {
      return network;
    }
  }
}

std::vector<FlowTime> measure_flows(FlowNetwork network, int passes, const FlowNoise& noise,
                                    std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const std::size_t nodes = network.leaf_of.size();
  network.nic.assign(nodes, 1);
  for (double& nic : network.nic) nic = uniform(random) < noise.slow_nodes ? 0.7 : 1;
  std::vector<FlowTime> times;
  std::uint32_t round = 0;
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), 0u);
  const auto flow_of = [&](std::size_t i, std::size_t shift) {
    const std::size_t from = order[i], to = order[(i + shift) % nodes];
    return Flow{.from = from, .to = to, .links = links_of(from, to, network)};
  };
  const auto measure = [&](std::vector<Flow> flows) {
    run(flows, network);
    for (const Flow& flow : flows) {
      double duration_ns = kMessageNs * flow.end * std::exp(noise.each * normal(random));
      if (uniform(random) < noise.outlier_rate) duration_ns *= 1 + 7 * uniform(random);
      times.push_back({round, flow.from, flow.to, duration_ns});
    }
    ++round;
  };
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t shift : {1u, 2u, 3u}) {
    for (std::size_t i = 0; i < nodes; ++i) measure({flow_of(i, shift)});
  }
  for (int pass = 0; pass < passes; ++pass) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t shift = 1; shift < nodes; ++shift) {
      std::vector<Flow> flows;
      for (std::size_t i = 0; i < nodes; ++i) flows.push_back(flow_of(i, shift));
      measure(std::move(flows));
    }
  }
  return times;
}

bool are_leaves(const std::vector<std::vector<std::size_t>>& groups, const FlowNetwork& network) {
  constexpr double kFilled = 1.5;  // less slows some rounds only
  const auto nodes = static_cast<double>(network.leaf_of.size());
  std::map<std::size_t, std::set<std::size_t>> leaves;
  for (std::size_t i = 0; i < network.leaf_of.size(); ++i) leaves[network.leaf_of[i]].insert(i);
  const auto fills = [&](std::size_t leaf) {
    const auto below = static_cast<double>(leaves[leaf].size());
    return below * (nodes - below) / (nodes - 1) > kFilled * network.uplink;
  };
  return !groups.empty() && std::ranges::all_of(groups, [&](const auto& group) {
    std::set<std::size_t> of;
    for (const std::size_t node : group) of.insert(network.leaf_of[node]);
    if (of.size() == 1) return group.size() == leaves[*of.begin()].size();
    return std::ranges::none_of(of, fills);
  });
}

}  // namespace nmt::planted
