// SPDX-License-Identifier: BSD-3-Clause
#include "contention/slow_downs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/error.h"

namespace nmt::contention {
namespace {

void check(const FlowTime& flow, std::size_t nodes) {
  if (flow.from < nodes && flow.to < nodes && flow.from != flow.to &&
      std::isfinite(flow.duration_ns) && flow.duration_ns > 0) {
    return;
  }
  throw Error(Fault::kUsage,
              fmt::format("a flow from node {} to node {} of {} in {} ns: nodes are different ones "
                          "of the job, and times are positive",
                          flow.from, flow.to, nodes, flow.duration_ns));
}

std::map<std::uint32_t, std::size_t> flows_by_round(std::span<const FlowTime> flows) {
  std::map<std::uint32_t, std::size_t> count;
  for (const FlowTime& flow : flows) ++count[flow.round];
  return count;
}

// What a message of each node takes alone: the median over its partners, of which few are slow.
// Where nothing was alone, what the fastest flows of all take.
std::vector<double> alone_ns(std::span<const FlowTime> flows, std::size_t nodes,
                             const std::map<std::uint32_t, std::size_t>& by_round) {
  constexpr double kFastest = 0.05;
  std::vector<std::vector<double>> of_nodes(nodes);
  std::vector<double> all, alone;
  for (const FlowTime& flow : flows) {
    all.push_back(flow.duration_ns);
    if (by_round.at(flow.round) > 1) continue;
    alone.push_back(flow.duration_ns);
    of_nodes[flow.from].push_back(flow.duration_ns);
    of_nodes[flow.to].push_back(flow.duration_ns);
  }
  const double usual_ns = alone.empty() ? quantile(all, kFastest) : median(alone);
  std::vector<double> durations_ns;
  for (const std::vector<double>& own : of_nodes) {
    durations_ns.push_back(own.empty() ? usual_ns : median(own));
  }
  return durations_ns;
}

// The groups that a flow leaves and enters.
struct Ends {
  std::size_t from = 0;
  std::size_t to = 0;
};

// The speeds of flows, in NICs, whose uplinks share `capacity` fairly each way: the busiest uplink
// gives all its flows as much, then the next one what is left.
std::vector<double> fair_rates(std::span<const Ends> flows, std::size_t groups, double capacity) {
  std::vector<double> left(2 * groups, capacity), users(2 * groups, 0);
  for (const Ends& flow : flows) {
    users[flow.from] += 1;
    users[groups + flow.to] += 1;
  }
  std::vector<double> rates(flows.size(), 0);
  while (true) {
    double least = 1;  // of a NIC
    std::size_t narrowest = 2 * groups;
    for (std::size_t link = 0; link < 2 * groups; ++link) {
      if (users[link] < 1 || left[link] / users[link] >= least) continue;
      least = left[link] / users[link];
      narrowest = link;
    }
    const bool all = narrowest == 2 * groups;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const std::size_t up = flows[i].from, down = groups + flows[i].to;
      if (rates[i] > 0 || (!all && up != narrowest && down != narrowest)) continue;
      rates[i] = least;
      for (const std::size_t link : {up, down}) {
        left[link] -= least;
        users[link] -= 1;
      }
    }
    if (all) return rates;
  }
}

}  // namespace

SlowDowns::SlowDowns(std::span<const FlowTime> flows, std::size_t nodes) : nodes_(nodes) {
  constexpr double kLongest = 0.95;  // longer ones say no more: a packet was lost, or a rank slept
  for (const FlowTime& flow : flows) check(flow, nodes);
  if (flows.empty()) return;
  const std::map<std::uint32_t, std::size_t> by_round = flows_by_round(flows);
  const std::vector<double> alone = alone_ns(flows, nodes, by_round);
  std::vector<double> logs;
  for (const FlowTime& flow : flows) {
    if (by_round.at(flow.round) < 2) continue;
    const double log = std::log(flow.duration_ns / std::max(alone[flow.from], alone[flow.to]));
    flows_.push_back({flow.round, flow.from, flow.to, log});
    logs.push_back(log);
  }
  if (logs.empty()) return;
  const double longest = quantile(logs, kLongest);
  for (Flow& flow : flows_) flow.slow_down = std::min(flow.slow_down, longest);
  std::ranges::stable_sort(flows_, {}, &Flow::round);
}

PairMatrix SlowDowns::matrix(Part part) const {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> of_pairs;
  for (const Flow& flow : flows_) {
    of_pairs[std::minmax({flow.from, flow.to})].push_back(flow.slow_down);
  }
  PairMatrix matrix(nodes_);
  for (const auto& [pair, logs] : of_pairs) {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (part == kAll || (part == kSecondHalf) == (i % 2 == 1)) chosen.push_back(logs[i]);
    }
    if (chosen.empty()) continue;
    matrix.set(pair.first, pair.second, {median(chosen), static_cast<double>(chosen.size())});
  }
  return matrix;
}

std::optional<MeasuredUplink> SlowDowns::uplink(
    const std::vector<std::vector<std::size_t>>& groups) const {
  constexpr double kStep = 0.02;         // of the speed
  constexpr double kSlowest = 1.0 / 16;  // of one NIC
  constexpr double kBetter = 0.8;        // of the squares about one slow-down for all flows
  constexpr std::size_t kRoundsMin = 4;  // with fewer, their spread is a guess
  constexpr int kDraws = 200;
  // Of the speed: flows that end leave their share to others, which fair_rates() does not follow.
  constexpr double kModel = 0.1;
  const std::vector<std::size_t> place = places_of(groups, nodes_);
  std::vector<double> speeds;
  double largest = 0;
  for (const auto& group : groups) largest = std::max(largest, static_cast<double>(group.size()));
  for (double speed = largest; speed > kSlowest; speed /= 1 + kStep) speeds.push_back(speed);
  // Squares of each round at each speed, and about one mean.
  std::vector<std::vector<double>> squares;
  double sum = 0, sum_of_squares = 0, count = 0;
  for (std::size_t begin = 0, end = 0; begin < flows_.size(); begin = end) {
    std::vector<Ends> ends;
    std::vector<double> logs;
    for (; end < flows_.size() && flows_[end].round == flows_[begin].round; ++end) {
      const Flow& flow = flows_[end];
      if (place[flow.from] == place[flow.to]) continue;
      ends.push_back({place[flow.from], place[flow.to]});
      logs.push_back(flow.slow_down);
      sum += flow.slow_down;
      sum_of_squares += flow.slow_down * flow.slow_down;
      count += 1;
    }
    std::vector<double>& of_round = squares.emplace_back(speeds.size(), 0);
    for (std::size_t s = 0; s < speeds.size(); ++s) {
      const std::vector<double> rates = fair_rates(ends, groups.size(), speeds[s]);
      for (std::size_t i = 0; i < logs.size(); ++i) {
        of_round[s] += std::pow(logs[i] + std::log(rates[i]), 2);
      }
    }
  }
  if (squares.size() < kRoundsMin || count == 0) return std::nullopt;
  const auto best = [&](const auto& rounds) {
    std::vector<double> total(speeds.size(), 0);
    for (const std::size_t round : rounds) {
      for (std::size_t s = 0; s < speeds.size(); ++s) total[s] += squares[round][s];
    }
    const auto least = std::ranges::min_element(total);
    return std::pair{speeds[static_cast<std::size_t>(least - total.begin())], *least};
  };
  std::vector<std::size_t> rounds(squares.size());
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  const auto [nics, least] = best(rounds);
  if (least > kBetter * (sum_of_squares - sum * sum / count)) return std::nullopt;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> draw(0, squares.size() - 1);
  std::vector<double> drawn;
  for (int i = 0; i < kDraws; ++i) {
    for (std::size_t& round : rounds) round = draw(random);
    drawn.push_back(best(rounds).first);
  }
  constexpr double kTail = 0.025;
  return MeasuredUplink{nics,
                        {std::min(nics, quantile(drawn, kTail)) / (1 + kModel),
                         std::max(nics, quantile(drawn, 1 - kTail)) * (1 + kModel)}};
}

std::vector<std::size_t> places_of(const std::vector<std::vector<std::size_t>>& groups,
                                   std::size_t nodes) {
  std::vector<std::size_t> place(nodes, 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::size_t node : groups[g]) {
      if (node < nodes) place[node] = g;
    }
  }
  return place;
}

}  // namespace nmt::contention
