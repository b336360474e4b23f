// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/outliers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "cluster/rank_sum.h"

namespace nmt::cluster {
namespace {

constexpr std::size_t kPairsOfNodeMin = 3;
constexpr std::size_t kOfLaunchMin = 5;    // pairs at one time that tell the time's drift
constexpr std::size_t kLaunchesSure = 12;  // of one link; more add little
constexpr double kSuspected = 0.02;        // probability of ranks, before it is multiplied
constexpr double kApparent = 0.05;         // the same, times the number of nodes
constexpr double kDeviations = 2;          // of a link that is worth another look
constexpr double kDeviationOfMad = 1.4826;
constexpr double kMostNodes = 0.9;

using Ends = std::pair<std::string, std::string>;
Ends ends_of(const PairTime& time) { return std::minmax(time.near, time.far); }

// One rail and one figure: all that is compared with each other.
class Family {
 public:
  Family(std::string rail, Figure figure, const std::vector<const PairTime*>& times)
      : rail_(std::move(rail)), figure_(figure) {
    std::map<std::string, std::vector<double>> by_launch;
    for (const PairTime* time : times) {
      by_launch[time->launch].push_back(std::log(time->duration_ns));
    }
    std::vector<double> all;
    for (const auto& [launch, logs] : by_launch) all.insert(all.end(), logs.begin(), logs.end());
    const double usual = median(all);
    std::map<std::string, double> drifts;
    for (const auto& [launch, logs] : by_launch) {
      drifts[launch] = logs.size() >= kOfLaunchMin ? median(logs) : usual;
    }
    std::map<Ends, std::vector<double>> logs_of;
    for (const PairTime* time : times) {
      logs_of[ends_of(*time)].push_back(std::log(time->duration_ns) - drifts.at(time->launch));
    }
    std::map<std::string, std::size_t> numbers;
    for (const auto& [ends, logs] : logs_of) {
      for (const std::string& host : {ends.first, ends.second}) numbers[host] = 0;
    }
    for (auto& [host, number] : numbers) {
      number = nodes_.size();
      nodes_.push_back({.host = host});
    }
    for (auto& [ends, logs] : logs_of) {
      for (const std::string& host : {ends.first, ends.second}) {
        nodes_[numbers.at(host)].links.push_back(links_.size());
      }
      const double middle = median(logs);
      links_.push_back(
          {ends, numbers.at(ends.first), numbers.at(ends.second), std::move(logs), middle});
    }
  }

  std::size_t tests() const { return nodes_.size() + links_.size(); }
  const std::string& rail() const { return rail_; }
  Figure figure() const { return figure_; }

  // Whether the node with most pairs would be named if all of them were the slowest.
  bool can_say(const OutlierOptions& options, double scale) const {
    std::size_t most = 0;
    for (const Node& node : nodes_) most = std::max(most, node.links.size());
    return most >= kPairsOfNodeMin && most < links_.size() &&
           scale * least_rank_sum_probability(most, links_.size() - most) <= options.chance_max;
  }

  // `scale` turns the probability of one test into that of any alarm.
  std::vector<Outlier> find(const OutlierOptions& options, double scale) {
    std::vector<Outlier> found;
    while (const auto node = slowest_node(options, scale)) found.push_back(*node);
    std::vector<double> all;
    for (const Link& link : links_) {
      for (const double log : link.logs) all.push_back(log - known(link));
    }
    std::ranges::sort(all);
    for (Link& link : links_) {
      const auto slow = judge_link(link, all, options, scale);
      if (slow) found.push_back(*slow);
    }
    return found;
  }

  // After find(): what is suspected but not sure.
  void add_next(const OutlierOptions& options, std::set<Ends> measured_all,
                std::vector<NextPair>* next) const {
    const Residuals residuals(*this, {});
    std::vector<const Node*> suspected;
    for (const Node& node : nodes_) {
      if (node.named || node.links.size() < 2 || node.links.size() == links_.size()) continue;
      const double worth = std::max(
          kSuspected,
          1.5 * least_rank_sum_probability(node.links.size(), links_.size() - node.links.size()));
      if (residuals.probability(node) > worth) continue;
      const auto [some, others] = residuals.of(node);
      if (median(some) - median(others) < std::log1p(options.slower_min) / 2) continue;
      suspected.push_back(&node);
    }
    for (const Node* node : suspected) {
      for (const Node& peer : nodes_) {
        if (&peer == node || measured_all.contains(std::minmax(node->host, peer.host))) continue;
        next->push_back({node->host, peer.host, rail_, node->host + " is suspected"});
      }
    }
    std::vector<double> deviations;
    const double usual = median(residuals.all());
    for (const double each : residuals.all()) deviations.push_back(std::abs(each - usual));
    const double limit = std::max(kDeviations * kDeviationOfMad * median(deviations),
                                  std::log1p(options.slower_min));
    std::vector<std::pair<double, Ends>> slow;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].logs.size() >= kLaunchesSure || links_[i].named) continue;
      const double excess = residuals.all()[i] - usual;
      if (excess >= limit) slow.emplace_back(-excess, links_[i].ends);
    }
    std::ranges::sort(slow);
    for (const auto& [excess, ends] : slow) {
      next->push_back({ends.first, ends.second, rail_, "was slow once"});
    }
  }

 private:
  struct Node {
    std::string host;
    std::vector<std::size_t> links = {};
    bool named = false;
    double effect = 0;  // of one that was named
  };
  struct Link {
    Ends ends;
    std::size_t near, far;     // nodes
    std::vector<double> logs;  // one for each launch
    double middle;             // their median
    bool named = false;
  };

  // What is left of each link's duration without what named nodes add, and without what others
  // seem to add. Each node is compared with all links that are not its own: their order is found
  // once, because a large cluster has a thousand nodes and many thousand links.
  class Residuals {
   public:
    // `added`: by node, or empty.
    Residuals(const Family& family, std::vector<double> added)
        : family_(family), added_(std::move(added)) {
      added_.resize(family.nodes_.size(), 0);
      for (const Link& link : family.links_) {
        all_.push_back(link.middle - family.known(link) - added_[link.near] - added_[link.far]);
      }
      sorted_ = all_;
      std::ranges::sort(sorted_);
    }
    const std::vector<double>& all() const { return all_; }

    double probability(const Node& node) const {
      return rank_sum_probability_in(own(node), sorted_, own_in_all(node));
    }
    // The node's links, with what it seems to add, and all others.
    std::pair<std::vector<double>, std::vector<double>> of(const Node& node) const {
      std::vector<double> others;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (std::ranges::find(node.links, i) == node.links.end()) others.push_back(all_[i]);
      }
      return {own(node), std::move(others)};
    }

   private:
    std::vector<double> own_in_all(const Node& node) const {
      std::vector<double> values;
      for (const std::size_t link : node.links) values.push_back(all_[link]);
      return values;
    }
    std::vector<double> own(const Node& node) const {
      std::vector<double> values = own_in_all(node);
      const auto number = static_cast<std::size_t>(&node - family_.nodes_.data());
      for (double& value : values) value += added_[number];
      return values;
    }

    const Family& family_;
    std::vector<double> added_, all_, sorted_;
  };

  double known(const Link& link) const {
    return nodes_[link.near].effect + nodes_[link.far].effect;
  }

  bool is_judged(const Node& node) const {
    return !node.named && node.links.size() >= kPairsOfNodeMin && node.links.size() < links_.size();
  }

  // What nodes seem to add, those for which ranks speak most: two slow nodes would hide each other
  // if each were compared with the other's pairs as they are.
  std::vector<double> apparent_effects() const {
    const Residuals residuals(*this, {});
    std::vector<double> effects(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!is_judged(nodes_[i])) continue;
      const double chance = residuals.probability(nodes_[i]);
      if (chance * static_cast<double>(nodes_.size()) > kApparent) continue;
      const auto [some, others] = residuals.of(nodes_[i]);
      effects[i] = shift_between(some, others).middle;
    }
    return effects;
  }

  std::optional<Outlier> slowest_node(const OutlierOptions& options, double scale) {
    std::optional<Outlier> slowest;
    Node* slowest_of = nullptr;
    const Residuals residuals(*this, apparent_effects());
    for (Node& node : nodes_) {
      if (!is_judged(node)) continue;
      const double chance = scale * residuals.probability(node);
      if (chance > options.chance_max || (slowest && slowest->chance <= chance)) continue;
      const auto [some, others] = residuals.of(node);
      const Shift shift = shift_between(some, others);
      if (shift.middle < std::log1p(options.slower_min)) continue;
      slowest = outlier(Culprit::kNode, node.host, "", shift, chance, node.links.size());
      slowest_of = &node;
    }
    if (slowest) {
      slowest_of->named = true;
      slowest_of->effect = std::log(slowest->ratio);
    }
    return slowest;
  }

  // `all`: the logarithms of all links without what named nodes add, sorted.
  std::optional<Outlier> judge_link(Link& link, const std::vector<double>& all,
                                    const OutlierOptions& options, double scale) {
    std::vector<double> some;
    for (const double log : link.logs) some.push_back(log - known(link));
    if (some.size() == all.size()) return std::nullopt;
    const double chance = scale * rank_sum_probability_in(some, all, some);
    if (chance > options.chance_max) return std::nullopt;
    std::vector<double> others;
    for (const Link& each : links_) {
      if (&each == &link) continue;
      for (const double log : each.logs) others.push_back(log - known(each));
    }
    const Shift shift = shift_between(some, others);
    if (shift.middle < std::log1p(options.slower_min)) return std::nullopt;
    link.named = true;
    return outlier(Culprit::kLink, link.ends.first, link.ends.second, shift, chance, 1);
  }

  Outlier outlier(Culprit culprit, const std::string& node, const std::string& peer,
                  const Shift& shift, double chance, std::size_t pairs) const {
    return {.culprit = culprit,
            .node = node,
            .peer = peer,
            .rail = rail_,
            .figure = figure_,
            .ratio = std::exp(shift.middle),
            .interval = {std::exp(shift.interval.low), std::exp(shift.interval.high)},
            .chance = std::min(chance, 1.0),
            .pairs = pairs};
  }

  std::string rail_;
  Figure figure_;
  std::vector<Link> links_;  // by the names of their ends
  std::vector<Node> nodes_;  // by name
};

// A node with several rails of which some are in line has a slow rail, not a slow node. If all of
// them are slow, the worst of them stands for the node.
void tell_rails_from_nodes(const std::map<std::string, std::set<std::string>>& rails_of,
                           std::vector<Outlier>* found) {
  std::vector<Outlier> kept;
  for (Outlier& each : *found) {
    if (each.culprit != Culprit::kNode || rails_of.at(each.node).size() < 2) {
      kept.push_back(each);
      continue;
    }
    std::set<std::string> slow;
    double worst = 0;
    for (const Outlier& other : *found) {
      if (other.culprit == Culprit::kLink || other.node != each.node ||
          other.figure != each.figure) {
        continue;
      }
      slow.insert(other.rail);
      worst = std::max(worst, other.ratio);
    }
    const bool whole_node = slow.size() == rails_of.at(each.node).size();
    if (whole_node && each.ratio < worst) continue;  // said once
    kept.push_back(each);
    kept.back().culprit = whole_node ? Culprit::kNode : Culprit::kRail;
    if (whole_node) kept.back().rail.clear();
  }
  *found = std::move(kept);
}

// The sizes that most nodes have exchanged with at least half of their partners, in order; if there
// is none, the one that most pairs have. A node that is too slow for a size does not take it from
// all others.
std::vector<std::uint64_t> common_sizes(const std::vector<const PairTime*>& times) {
  std::map<std::uint64_t, std::set<Ends>> pairs_of;
  std::set<Ends> all;
  for (const PairTime* time : times) {
    pairs_of[time->size_bytes].insert(ends_of(*time));
    all.insert(ends_of(*time));
  }
  const auto partners = [](const std::set<Ends>& pairs) {
    std::map<std::string, std::size_t> numbers;  // by node
    for (const Ends& ends : pairs) {
      ++numbers[ends.first];
      ++numbers[ends.second];
    }
    return numbers;
  };
  const std::map<std::string, std::size_t> all_partners = partners(all);
  std::vector<std::uint64_t> sizes;
  std::uint64_t widest = pairs_of.begin()->first;
  for (const auto& [size, pairs] : pairs_of) {
    if (pairs.size() > pairs_of.at(widest).size()) widest = size;
    std::map<std::string, std::size_t> some = partners(pairs);
    const auto nodes = static_cast<double>(std::ranges::count_if(
        all_partners, [&](const auto& node) { return 2 * some[node.first] >= node.second; }));
    if (nodes >= kMostNodes * static_cast<double>(all_partners.size())) sizes.push_back(size);
  }
  if (sizes.empty()) sizes.push_back(widest);
  return sizes;
}

// What turns the probability of one of so many tests into that of any alarm (Benjamini and
// Yekutieli).
double scale_of(std::size_t tests) {
  double harmonic = 0;
  for (std::size_t i = 1; i <= tests; ++i) harmonic += 1 / static_cast<double>(i);
  return harmonic * static_cast<double>(tests);
}

}  // namespace

std::string_view to_string(Figure figure) {
  return figure == Figure::kLatency ? "latency" : "bandwidth";
}

std::string_view to_string(Culprit culprit) {
  switch (culprit) {
    case Culprit::kNode:
      return "node";
    case Culprit::kLink:
      return "link";
    case Culprit::kRail:
      break;
  }
  return "rail";
}

std::size_t rounds_to_tell(std::size_t nodes, const OutlierOptions& options) {
  constexpr std::size_t kFigures = 2;
  constexpr double kRoom = 10;  // for one pair that was disturbed, and for further rails
  if (nodes < 2) return 0;
  const std::size_t all = nodes - 1 + nodes % 2;
  std::size_t rounds = std::min<std::size_t>(std::bit_width(nodes - 1), all);
  for (; rounds < all; ++rounds) {
    const std::size_t pairs = rounds * (nodes / 2);
    const std::size_t of_node = rounds - nodes % 2;  // of an odd number, one is idle in each round
    if (of_node < kPairsOfNodeMin) continue;
    const double scale = scale_of(kFigures * (nodes + pairs));
    const double chance = scale * least_rank_sum_probability(of_node, pairs - of_node);
    if (chance <= options.chance_max / kRoom) break;
  }
  return rounds;
}

OutlierFindings find_outliers(std::span<const PairTime> times, const OutlierOptions& options) {
  std::map<std::string, std::vector<const PairTime*>> by_rail;
  std::map<std::string, std::set<std::string>> rails_of;
  std::map<std::string, std::set<Ends>> pairs_of;
  for (const PairTime& time : times) {
    if (!(time.duration_ns > 0) || !std::isfinite(time.duration_ns)) continue;
    if (time.near == time.far) continue;
    by_rail[time.rail].push_back(&time);
    pairs_of[time.rail].insert(ends_of(time));
    for (const std::string& host : {time.near, time.far}) rails_of[host].insert(time.rail);
  }
  OutlierFindings findings;
  findings.nodes = rails_of.size();
  for (const auto& [rail, pairs] : pairs_of) findings.pairs += pairs.size();
  std::vector<Family> families;
  for (const auto& [rail, members] : by_rail) {
    const std::vector<std::uint64_t> sizes = common_sizes(members);
    for (const Figure figure : {Figure::kLatency, Figure::kBandwidth}) {
      if (figure == Figure::kBandwidth && sizes.size() == 1) continue;
      const std::uint64_t size = figure == Figure::kLatency ? sizes.front() : sizes.back();
      std::vector<const PairTime*> of_size;
      std::ranges::copy_if(members, std::back_inserter(of_size),
                           [&](const PairTime* time) { return time->size_bytes == size; });
      families.emplace_back(rail, figure, of_size);
      findings.tests += families.back().tests();
    }
  }
  const double scale = scale_of(findings.tests);
  for (Family& family : families) {
    findings.can_say |= family.can_say(options, scale);
    std::ranges::move(family.find(options, scale), std::back_inserter(findings.outliers));
    family.add_next(options, pairs_of[family.rail()], &findings.next);
  }
  tell_rails_from_nodes(rails_of, &findings.outliers);
  const auto order = [](const Outlier& each) {
    const int kind = each.culprit == Culprit::kNode ? 0 : each.culprit == Culprit::kRail ? 1 : 2;
    return std::tuple(kind, -each.ratio, each.node, each.peer);
  };
  std::ranges::sort(findings.outliers, {}, order);
  std::set<std::tuple<Ends, std::string>> once;
  std::erase_if(findings.next, [&](const NextPair& each) {
    return !once.emplace(std::minmax(each.near, each.far), each.rail).second;
  });
  return findings;
}

}  // namespace nmt::cluster
