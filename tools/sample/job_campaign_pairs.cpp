// SPDX-License-Identifier: BSD-3-Clause
//
// The part `pairs`: rails between two nodes, by one rank of each node, then by several at a time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/clock.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/options.h"
#include "tools/sample/job_campaign.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kSeeds = 1'000'000'000, kRounds = 1000;  // a round's number holds both
// Of the budget: one rank alone is what is asked about most.
constexpr double kShareAlone = 0.5;
constexpr double kShareAgain = 1.0 / 3;  // of that: what is suspected
// Of the time of a round in which pairs measure all sizes: a tenth for each of the two largest
// landmarks, at most, as much for the others, and the way there.
constexpr double kShareOfLandmarks = 0.4;
// Less time for a round would leave most of its sizes out.
constexpr double kRoundOfRanksNsMin = 2e9;

}  // namespace

std::vector<sampler::Round> JobCampaign::rounds_of_pairs() const {
  const std::size_t nodes = shape_.nodes.size();
  if (!options_.pairs_of.empty()) return sampler::rounds_of(asked_pairs());
  return options_.all_pairs ? sampler::rounds_of_all_pairs(nodes)
                            : sampler::rounds_of_some_pairs(nodes, cluster::rounds_to_tell(nodes));
}

std::vector<std::size_t> JobCampaign::ranks_of_nodes() const {
  std::vector<std::size_t> ranks;
  for (const std::vector<int>& node : shape_.nodes) ranks.push_back(node.size());
  return ranks;
}

std::vector<std::string> JobCampaign::of_nodes(const std::vector<std::string>& of_ranks) const {
  std::vector<std::string> of_nodes;
  for (const std::vector<int>& node : shape_.nodes) {
    of_nodes.push_back(of_ranks[static_cast<std::size_t>(node.front())]);
  }
  return of_nodes;
}

// The numbers of ranks of a node that measure at the same time, in their order; one comes first.
std::vector<std::size_t> JobCampaign::numbers_of_ranks() const {
  const std::vector<std::size_t> of_nodes = ranks_of_nodes();
  std::size_t most = 1;
  for (const sampler::Round& round : rounds_of_pairs()) {
    for (const sampler::NodePair& pair : round) {
      most = std::max(most, sampler::ranks_of(pair, of_nodes));
    }
  }
  std::vector<std::size_t> numbers;
  for (const int number : numbers_from("--ranks-per-nic", options_.ranks_per_nic)) {
    if (number < 1 || static_cast<std::size_t>(number) > most) {
      throw Error(Fault::kUsage,
                  fmt::format("--ranks-per-nic: {} is not possible; both nodes of a pair have 1 to "
                              "{} ranks of this job",
                              number, most));
    }
    numbers.push_back(static_cast<std::size_t>(number));
  }
  if (numbers.empty()) {
    numbers = sampler::numbers_of_ranks(most);
    numbers.push_back(1);
  }
  std::ranges::sort(numbers, std::greater());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.back() == 1) std::rotate(numbers.begin(), numbers.end() - 1, numbers.end());
  return numbers;
}

void JobCampaign::measure_pairs(const Launch& launch, double budget_ns, JobFindings* findings) {
  const std::vector<sampler::Round> rounds = rounds_of_pairs();
  if (rounds.empty()) {
    findings->remarks.push_back("pairs: the job has only one node");
    return;
  }
  const std::vector<std::size_t> numbers = numbers_of_ranks();
  double left_ns = budget_ns;
  if (numbers.front() == 1) {
    left_ns -= measure_alone(launch, rounds,
                             numbers.size() > 1 ? kShareAlone * budget_ns : budget_ns, findings);
  }
  if (numbers.back() > 1) measure_many_ranks(launch, rounds, left_ns, findings);
}

// By one rank of each node; returns the time that it took.
double JobCampaign::measure_alone(const Launch& launch, const std::vector<sampler::Round>& rounds,
                                  double budget_ns, JobFindings* findings) {
  const RealClock clock;
  const std::uint64_t start_ns = clock.now_ns();
  // What is suspected is measured again, in the last part of the time.
  const bool again = shape_.nodes.size() >= cluster::kNodesToCompareMin;
  const double again_ns = again ? kShareAgain * budget_ns : 0;
  std::vector<sampler::RoundOfRanks> all;
  for (const sampler::Round& round : rounds) all.push_back({.pairs = round});
  sampler::choose_in_full(of_nodes(platforms_), all);
  const auto weight = [](const sampler::RoundOfRanks& round) {
    return round.in_full > 0 ? 1 : kShareOfLandmarks;
  };
  double weights = 0;
  for (const sampler::RoundOfRanks& round : all) weights += weight(round);
  for (std::size_t i = 0; i < all.size(); ++i) {
    measure_round(launch, all[i], fmt::format("{} of {}", i + 1, all.size()),
                  (budget_ns - again_ns) * weight(all[i]) / weights, findings);
  }
  for (std::size_t i = 0; again && i < cluster::kSuspectedRoundsMax; ++i) {
    const std::vector<sampler::Round> suspected =
        sampler::rounds_of(suspected_pairs(findings->links));
    if (suspected.empty()) break;
    measure_round(launch, {.pairs = suspected.front()}, "what is suspected",
                  again_ns / cluster::kSuspectedRoundsMax, findings);
  }
  return static_cast<double>(clock.now_ns() - start_ns);
}

void JobCampaign::measure_many_ranks(const Launch& launch,
                                     const std::vector<sampler::Round>& rounds, double budget_ns,
                                     JobFindings* findings) {
  std::vector<std::size_t> numbers = numbers_of_ranks();
  std::erase(numbers, 1);
  const auto rounds_max = static_cast<std::size_t>(std::max(0.0, budget_ns / kRoundOfRanksNsMin));
  std::vector<sampler::RoundOfRanks> all =
      sampler::rounds_of_ranks(rounds, numbers, ranks_of_nodes(), rounds_max);
  sampler::choose_in_full(of_nodes(platforms_), all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    measure_round(
        launch, all[i],
        fmt::format("{} of {}, {} ranks per NIC", i + 1, all.size(), all[i].ranks_per_node),
        budget_ns / static_cast<double>(all.size()), findings);
    std::erase(numbers, all[i].ranks_per_node);
  }
  if (!numbers.empty()) {
    findings->remarks.push_back(fmt::format(
        "pairs: no time for {} ranks per NIC; give more with --budget, or choose fewer with "
        "--ranks-per-nic",
        fmt::join(numbers, ", ")));
  }
}

void JobCampaign::measure_round(const Launch& launch, const sampler::RoundOfRanks& round,
                                const std::string& what, double budget_ns, JobFindings* findings) {
  if (launch.interruption.signal() != 0) return;
  ++round_;
  JobOrder order{.part = Part::kPairs,
                 .budget_ns = budget_ns,
                 .round = seed_ % kSeeds * kRounds + round_,
                 .ranks_per_node = round.ranks_per_node,
                 .in_full = round.in_full,
                 // Of an odd number of nodes, one is idle in the first round.
                 .offload = round_ <= 1 + shape_.nodes.size() % 2};
  for (const sampler::NodePair& pair : round.pairs) {
    for (const std::size_t node : {pair.near, pair.far}) {
      const auto first = shape_.nodes[node].begin();
      order.ranks.insert(order.ranks.end(), first,
                         first + static_cast<std::ptrdiff_t>(round.ranks_per_node));
    }
  }
  launch.line.clear();
  launch.invocation.notice("pairs, round " + what);
  const std::size_t known = findings->links.size();
  run_all_shares(order, launch, findings);
  for (std::size_t i = known; i < findings->links.size(); ++i) findings->links[i].round = round_;
}

std::optional<std::size_t> JobCampaign::node_called(const std::string& host) const {
  for (std::size_t node = 0; node < shape_.nodes.size(); ++node) {
    if (hosts_[static_cast<std::size_t>(shape_.nodes[node].front())] == host) return node;
  }
  return std::nullopt;
}

// --pairs-of: each of the named nodes with every other one.
std::vector<sampler::NodePair> JobCampaign::asked_pairs() const {
  std::vector<sampler::NodePair> pairs;
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const std::string& host : split_list(options_.pairs_of)) {
    const auto node = node_called(host);
    if (!node) {
      throw Error(Fault::kUsage, fmt::format("--pairs-of: no node of this job is called '{}'{}",
                                             host, suggestion(host, hosts_)));
    }
    for (std::size_t other = 0; other < shape_.nodes.size(); ++other) {
      const auto ends = std::minmax(*node, other);
      if (other != *node && known.insert(ends).second) pairs.push_back({ends.first, ends.second});
    }
  }
  return pairs;
}

// With --pairs-of, of those that were asked for.
std::vector<sampler::NodePair> JobCampaign::suspected_pairs(const std::vector<Link>& links) const {
  std::vector<sampler::NodePair> pairs;
  std::set<std::pair<std::size_t, std::size_t>> known;  // a link is measured over all its rails
  std::set<std::pair<std::size_t, std::size_t>> asked;
  for (const sampler::NodePair& each : asked_pairs()) asked.emplace(each.near, each.far);
  for (const cluster::NextPair& next : cluster::find_outliers(pair_times(links)).next) {
    const auto near = node_called(next.near), far = node_called(next.far);
    if (!near || !far) continue;
    const std::pair<std::size_t, std::size_t> ends = std::minmax(*near, *far);
    if (!asked.empty() && !asked.contains(ends)) continue;
    if (known.insert(ends).second) pairs.push_back({ends.first, ends.second});
  }
  return pairs;
}

}  // namespace nmt::tools
