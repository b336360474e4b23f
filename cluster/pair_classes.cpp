// SPDX-License-Identifier: BSD-3-Clause
#include "cluster/pair_classes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "core/method.h"
#include "core/statistics.h"

namespace nmt::cluster {
namespace {

constexpr double kDeviations = 3;           // of one repetition
constexpr double kDeviationOfMad = 1.4826;  // standard deviation of a normal, by its MAD

// Logarithms, so that differences are ratios.
struct Figures {
  std::size_t index = 0;
  double latency = 0;    // of the smallest message, by the best method
  double bandwidth = 0;  // duration of the largest message
  double noise = 0;      // standard deviation of one repetition
};

Figures figures_of(const RailPlan& plan, std::size_t index) {
  Figures figures{.index = index};
  bool first = true;
  for (const PlanCurve& curve : plan.curves) {
    if (curve.benchmark != benchmark::kTransfer || curve.duration.empty()) continue;
    const double small = std::log(std::max(curve.duration.points().front().duration_ns, 1e-3));
    const double large = std::log(std::max(curve.duration.points().back().duration_ns, 1e-3));
    figures.latency = first ? small : std::min(figures.latency, small);
    figures.bandwidth = first ? large : std::min(figures.bandwidth, large);
    figures.noise = std::max(figures.noise, kDeviationOfMad * curve.spread);
    first = false;
  }
  return figures;
}

double median_of(const std::vector<Figures>& all, double Figures::*figure) {
  std::vector<double> values;
  for (const Figures& each : all) values.push_back(each.*figure);
  return median(values);
}

// Takes from `left` the plans near its median: at least one.
PairClass take_class(std::vector<Figures>* left) {
  const double latency = median_of(*left, &Figures::latency);
  const double bandwidth = median_of(*left, &Figures::bandwidth);
  const double limit = kDeviations * median_of(*left, &Figures::noise);
  const auto distance = [&](const Figures& each) {
    return std::max(std::abs(each.latency - latency), std::abs(each.bandwidth - bandwidth));
  };
  std::ranges::stable_sort(*left, {}, distance);
  PairClass found;
  // Not from the median itself, which lies between two plans if their number is even.
  const Figures centre = left->front();
  std::erase_if(*left, [&](const Figures& each) {
    const bool same = std::abs(each.latency - centre.latency) <= limit &&
                      std::abs(each.bandwidth - centre.bandwidth) <= limit;
    if (same) found.members.push_back(each.index);
    return same;
  });
  return found;
}

}  // namespace

std::vector<PairClass> pair_classes(std::span<const RailPlan> plans,
                                    const std::map<Id, PathName>& names) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string,
                         std::int64_t, bool, Id, Id, Id>;
  std::map<Key, std::vector<Figures>> alike;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const RailPlan& plan = plans[i];
    const auto found = names.find(plan.path);
    const PathName name = found == names.end() ? PathName{} : found->second;
    const Key key = {plan.rail,          name.peer_rail,
                     plan.regime,        plan.placement,
                     plan.busy_rails,    plan.ranks_per_nic,
                     name.peer.empty(),  name.platform,
                     name.peer_platform, found == names.end() ? plan.path : Id()};
    alike[key].push_back(figures_of(plan, i));
  }
  std::vector<PairClass> classes;
  for (auto& [key, left] : alike) {
    while (!left.empty()) classes.push_back(take_class(&left));
  }
  const auto first_index = [](const PairClass& each) { return std::ranges::min(each.members); };
  std::ranges::sort(classes, {}, first_index);
  return classes;
}

}  // namespace nmt::cluster
