// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/outliers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "cluster/rank_sum.h"

namespace nmt::cluster {
namespace {

constexpr std::size_t kPairsOfNodeMin = 3;
constexpr std::size_t kOfLaunchMin = 5;   // pairs at one time that tell the time's drift
constexpr std::size_t kLaunchesSure = 4;  // of one link; more add little
constexpr double kSuspected = 0.02;       // probability of ranks, before it is multiplied
constexpr double kApparent = 0.05;        // the same, times the number of nodes
constexpr double kDeviations = 3;
constexpr double kDeviationOfMad = 1.4826;

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
    for (const PairTime* time : times) {
      const std::vector<double>& same = by_launch[time->launch];
      const double drift = same.size() >= kOfLaunchMin ? median(same) : usual;
      links_[ends_of(*time)].push_back(std::log(time->duration_ns) - drift);
    }
    for (const auto& [ends, logs] : links_) {
      nodes_[ends.first].push_back(ends);
      nodes_[ends.second].push_back(ends);
    }
  }

  std::size_t tests() const { return nodes_.size() + links_.size(); }
  const std::string& rail() const { return rail_; }
  Figure figure() const { return figure_; }

  // Whether the node with most pairs would be named if all of them were the slowest.
  bool can_say(const OutlierOptions& options, double scale) const {
    std::size_t most = 0;
    for (const auto& [node, own] : nodes_) most = std::max(most, own.size());
    return most >= kPairsOfNodeMin && most < links_.size() &&
           scale * least_rank_sum_probability(most, links_.size() - most) <= options.chance_max;
  }

  // `scale` turns the probability of one test into that of any alarm.
  std::vector<Outlier> find(const OutlierOptions& options, double scale) {
    std::vector<Outlier> found;
    while (const auto node = slowest_node(options, scale)) found.push_back(*node);
    for (const auto& [ends, logs] : links_) {
      const auto link = judge_link(ends, options, scale);
      if (link) found.push_back(*link);
    }
    return found;
  }

  // After find(): what is suspected but not sure.
  void add_next(const OutlierOptions& options, std::set<Ends> measured_all,
                std::vector<NextPair>* next) const {
    std::set<std::string> suspected;
    for (const auto& [node, own] : nodes_) {
      if (named_.contains(node) || own.size() < 2) continue;
      const auto [some, others] = pairs_of(node, {});
      if (others.empty()) continue;
      const double worth =
          std::max(kSuspected, 1.5 * least_rank_sum_probability(some.size(), others.size()));
      if (rank_sum_probability(some, others) > worth) continue;
      if (median(some) - median(others) < std::log1p(options.slower_min) / 2) continue;
      suspected.insert(node);
    }
    for (const std::string& node : suspected) {
      for (const auto& [peer, own] : nodes_) {
        if (peer == node || measured_all.contains(std::minmax(node, peer))) continue;
        next->push_back({node, peer, rail_, node + " is suspected"});
      }
    }
    std::vector<double> all;
    for (const auto& [ends, logs] : links_) all.push_back(residual(ends));
    std::vector<double> deviations;
    const double usual = median(all);
    for (const double each : all) deviations.push_back(std::abs(each - usual));
    const double limit = std::max(kDeviations * kDeviationOfMad * median(deviations),
                                  std::log1p(options.slower_min));
    std::vector<std::pair<double, Ends>> slow;
    for (const auto& [ends, logs] : links_) {
      if (logs.size() >= kLaunchesSure || named_links_.contains(ends)) continue;
      if (residual(ends) - usual >= limit) slow.emplace_back(usual - residual(ends), ends);
    }
    std::ranges::sort(slow);
    for (const auto& [excess, ends] : slow) {
      next->push_back({ends.first, ends.second, rail_, "was slow once"});
    }
  }

 private:
  double known(const Ends& ends) const {
    double effect = 0;
    for (const std::string& node : {ends.first, ends.second}) {
      const auto found = named_.find(node);
      if (found != named_.end()) effect += found->second;
    }
    return effect;
  }
  double residual(const Ends& ends) const { return median(links_.at(ends)) - known(ends); }

  // The residuals of a node's pairs, and of all pairs that are not its own, without what other
  // nodes add.
  std::pair<std::vector<double>, std::vector<double>> pairs_of(
      const std::string& node, const std::map<std::string, double>& others_add) const {
    std::pair<std::vector<double>, std::vector<double>> both;
    for (const auto& [ends, logs] : links_) {
      double left = residual(ends);
      for (const std::string& end : {ends.first, ends.second}) {
        const auto found = others_add.find(end);
        if (end != node && found != others_add.end()) left -= found->second;
      }
      const bool own = ends.first == node || ends.second == node;
      (own ? both.first : both.second).push_back(left);
    }
    return both;
  }

  // What nodes seem to add, those for which ranks speak most: two slow nodes would hide each other
  // if each were compared with the other's pairs as they are.
  std::map<std::string, double> apparent_effects() const {
    std::map<std::string, double> effects;
    for (const auto& [node, own] : nodes_) {
      if (named_.contains(node) || own.size() < kPairsOfNodeMin) continue;
      const auto [some, others] = pairs_of(node, {});
      const double chance = rank_sum_probability(some, others);
      if (chance * static_cast<double>(nodes_.size()) > kApparent) continue;
      effects[node] = shift_between(some, others).middle;
    }
    return effects;
  }

  std::optional<Outlier> slowest_node(const OutlierOptions& options, double scale) {
    std::optional<Outlier> slowest;
    const std::map<std::string, double> apparent = apparent_effects();
    for (const auto& [node, own] : nodes_) {
      if (named_.contains(node) || own.size() < kPairsOfNodeMin) continue;
      const auto [some, others] = pairs_of(node, apparent);
      if (others.empty()) continue;
      const double chance = scale * rank_sum_probability(some, others);
      if (chance > options.chance_max || (slowest && slowest->chance <= chance)) continue;
      const Shift shift = shift_between(some, others);
      if (shift.middle < std::log1p(options.slower_min)) continue;
      slowest = outlier(Culprit::kNode, node, "", shift, chance, own.size());
    }
    if (slowest) named_[slowest->node] = std::log(slowest->ratio);
    return slowest;
  }

  std::optional<Outlier> judge_link(const Ends& ends, const OutlierOptions& options, double scale) {
    std::vector<double> some, others;
    for (const auto& [each, logs] : links_) {
      for (const double log : logs) (each == ends ? some : others).push_back(log - known(each));
    }
    const double chance = scale * rank_sum_probability(some, others);
    if (chance > options.chance_max) return std::nullopt;
    const Shift shift = shift_between(some, others);
    if (shift.middle < std::log1p(options.slower_min)) return std::nullopt;
    named_links_.insert(ends);
    return outlier(Culprit::kLink, ends.first, ends.second, shift, chance, 1);
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
  std::map<Ends, std::vector<double>> links_;       // logarithms, one for each launch
  std::map<std::string, std::vector<Ends>> nodes_;  // their pairs
  std::map<std::string, double> named_;             // nodes that were found, with their effects
  std::set<Ends> named_links_;
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

OutlierFindings find_outliers(std::span<const PairTime> times, const OutlierOptions& options) {
  std::map<std::pair<std::string, Figure>, std::vector<const PairTime*>> by_family;
  std::map<std::string, std::set<std::string>> rails_of;
  std::map<std::string, std::set<Ends>> pairs_of;
  for (const PairTime& time : times) {
    if (!(time.duration_ns > 0) || !std::isfinite(time.duration_ns)) continue;
    if (time.near == time.far) continue;
    by_family[{time.rail, time.figure}].push_back(&time);
    pairs_of[time.rail].insert(ends_of(time));
    for (const std::string& host : {time.near, time.far}) rails_of[host].insert(time.rail);
  }
  OutlierFindings findings;
  findings.nodes = rails_of.size();
  for (const auto& [rail, pairs] : pairs_of) findings.pairs += pairs.size();
  std::vector<Family> families;
  for (const auto& [key, members] : by_family) {
    families.emplace_back(key.first, key.second, members);
    findings.tests += families.back().tests();
  }
  double harmonic = 0;  // of Benjamini and Yekutieli
  for (std::size_t i = 1; i <= findings.tests; ++i) harmonic += 1 / static_cast<double>(i);
  const double scale = harmonic * static_cast<double>(findings.tests);
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
