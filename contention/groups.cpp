// SPDX-License-Identifier: BSD-3-Clause
#include "contention/groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contention/slow_downs.h"

namespace nmt::contention {
namespace {

// A group of nodes in a matrix of sums, while groups are united.
using Members = std::vector<std::vector<std::size_t>>;

struct Sums {
  double sum = 0;
  double squares = 0;
  double count = 0;

  void add(const Sums& more) {
    sum += more.sum;
    squares += more.squares;
    count += more.count;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  double rest() const { return count > 0 ? squares - sum * sum / count : 0; }
};

Sums sums_of(const PairMatrix& matrix, std::size_t i, std::size_t j) {
  const PairMean& pair = matrix.at(i, j);
  return {pair.mean * pair.count, pair.mean * pair.mean * pair.count, double(pair.count)};
}

// Unites nodes whose slow-downs are least. Where to stop: first, where one mean within groups and
// one between them leave the least squares; then, since flows between groups are not all slowed
// alike, where flows between two groups are slowed by more than those within them are.
class Linkage {
 public:
  explicit Linkage(const PairMatrix& matrix) : nodes_(matrix.nodes()), sums_(nodes_ * nodes_) {
    for (std::size_t i = 0; i < nodes_; ++i) {
      members_.push_back({i});
      alive_.push_back(i);
      for (std::size_t j = 0; j < nodes_; ++j) {
        if (i != j) at(i, j) = sums_of(matrix, i, j);
        if (i < j) all_.add(at(i, j));
      }
    }
  }

  Members best() {
    constexpr int kPasses = 4;  // what is within groups is known better after each
    std::vector<Sums> united;   // by each step
    std::vector<Members> kept;  // after it
    Sums within, within_best, between_best;
    double least = all_.rest();
    while (alive_.size() > 2) {
      const auto [a, b] = nearest();
      if (at(a, b).count == 0) break;  // nothing is known of what is left
      united.push_back(at(a, b));
      within.add(at(a, b));
      unite(a, b);
      kept.push_back(groups());
      const Sums between{all_.sum - within.sum, all_.squares - within.squares,
                         all_.count - within.count};
      const double rest = within.rest() + between.rest();
      if (rest >= least || within.mean() >= between.mean()) continue;
      least = rest;
      within_best = within;
      between_best = between;
    }
    if (within_best.count == 0) return {};
    std::size_t steps = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
      Sums inside;
      for (steps = 0; steps < united.size(); ++steps) {
        if (!alike(united[steps], within_best, between_best)) break;
        inside.add(united[steps]);
      }
      if (inside.count == 0) break;
      within_best = inside;
    }
    return steps > 0 ? kept[steps - 1] : Members{};
  }

 private:
  static bool alike(const Sums& step, const Sums& within, const Sums& between) {
    constexpr double kPart = 0.15;  // of the whole slow-down: hardly changes a bound
    constexpr double kChance = 3;   // standard errors
    const double error = std::sqrt(within.rest() / within.count / step.count);
    return step.mean() - within.mean() <
           std::max(kPart * (between.mean() - within.mean()), kChance * error);
  }

  Members groups() const {
    Members all;
    for (const std::size_t group : alive_) all.push_back(members_[group]);
    return all;
  }

  Sums& at(std::size_t i, std::size_t j) { return sums_[i * nodes_ + j]; }

  std::pair<std::size_t, std::size_t> nearest() {
    std::pair<std::size_t, std::size_t> best{alive_[0], alive_[1]};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t x = 0; x < alive_.size(); ++x) {
      for (std::size_t y = x + 1; y < alive_.size(); ++y) {
        const Sums& sums = at(alive_[x], alive_[y]);
        if (sums.count == 0 || sums.mean() >= least) continue;
        least = sums.mean();
        best = {alive_[x], alive_[y]};
      }
    }
    return best;
  }

  void unite(std::size_t a, std::size_t b) {
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
    std::erase(alive_, b);
    for (const std::size_t other : alive_) {
      if (other == a) continue;
      at(a, other).add(at(b, other));
      at(other, a) = at(a, other);
    }
  }

  std::size_t nodes_;
  std::vector<Sums> sums_;  // of all pairs between two groups
  Members members_;
  std::vector<std::size_t> alive_;
  Sums all_;
};

// Early unions rest on few flows: each node goes where its flows are slowed least, by all of them.
Members refined(Members groups, const PairMatrix& matrix) {
  constexpr int kPasses = 8;
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<std::size_t> place = places_of(groups, matrix.nodes());
    std::vector<std::size_t> better = place;
    for (std::size_t i = 0; i < matrix.nodes(); ++i) {
      std::vector<Sums> to(groups.size());
      for (std::size_t j = 0; j < matrix.nodes(); ++j) {
        if (i != j) to[place[j]].add(sums_of(matrix, i, j));
      }
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const Sums& now = to[better[i]];
        if (to[g].count > 0 && now.count > 0 && to[g].mean() < now.mean()) better[i] = g;
      }
    }
    if (better == place) break;
    groups.assign(groups.size(), {});
    for (std::size_t i = 0; i < better.size(); ++i) groups[better[i]].push_back(i);
    std::erase_if(groups, [](const auto& group) { return group.empty(); });
  }
  return groups;
}

Members proposed(const PairMatrix& matrix) {
  Members groups = Linkage(matrix).best();
  if (groups.empty()) return groups;
  groups = refined(std::move(groups), matrix);
  return groups.size() > 1 ? groups : Members{};
}

// What each node adds to its pairs on average, taken from `value` of all of them.
template <class Value>
std::vector<double> without_nodes(const PairMatrix& matrix, const Value& value) {
  constexpr int kSweeps = 12;  // one is enough where every pair was measured
  const std::size_t nodes = matrix.nodes();
  std::vector<double> rest(nodes * nodes, 0);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = 0; j < nodes; ++j) {
      if (matrix.at(i, j).count > 0) rest[i * nodes + j] = value(i, j);
    }
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < nodes; ++i) {
      double sum = 0, count = 0;
      for (std::size_t j = 0; j < nodes; ++j) {
        if (matrix.at(i, j).count == 0) continue;
        sum += rest[i * nodes + j];
        count += 1;
      }
      for (std::size_t j = 0; j < nodes; ++j) {
        if (matrix.at(i, j).count == 0) continue;
        rest[i * nodes + j] -= sum / count;
        rest[j * nodes + i] = rest[i * nodes + j];
      }
    }
  }
  return rest;
}

// How much longer flows between groups take than those within, as a logarithm, apart from what each
// node adds: of a node that is slow beside others, or whose message alone was mismeasured, all
// flows are slow, and that is no group.
struct Contrast {
  double difference = 0;
  double error = 0;
};
Contrast contrast_of(const Members& groups, const PairMatrix& matrix) {
  const std::size_t nodes = matrix.nodes();
  const std::vector<std::size_t> place = places_of(groups, nodes);
  const std::vector<double> slow =
      without_nodes(matrix, [&](std::size_t i, std::size_t j) { return matrix.at(i, j).mean; });
  const std::vector<double> apart = without_nodes(
      matrix, [&](std::size_t i, std::size_t j) { return place[i] == place[j] ? 0.0 : 1.0; });
  double products = 0, squares = 0, pairs = 0;
  const auto each = [&](const auto& add) {
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = i + 1; j < nodes; ++j) {
        if (matrix.at(i, j).count > 0) add(slow[i * nodes + j], apart[i * nodes + j]);
      }
    }
  };
  each([&](double y, double x) {
    products += x * y;
    squares += x * x;
    pairs += 1;
  });
  const double free = pairs - static_cast<double>(nodes) - 1;
  constexpr double kNothing = 1e-6;  // groups that the nodes alone explain
  if (squares < kNothing || free < 1) return {};
  Contrast contrast{.difference = products / squares};
  double rest = 0;
  each([&](double y, double x) { rest += std::pow(y - contrast.difference * x, 2); });
  contrast.error = std::sqrt(rest / free / squares);
  return contrast;
}

bool confirms(const Members& groups, const PairMatrix& matrix) {
  constexpr double kSure = 6;        // standard errors; what is real has more than ten
  constexpr double kNoticed = 0.05;  // a slow-down that changes no bound needs no group
  const Contrast contrast = contrast_of(groups, matrix);
  return contrast.difference > std::max(kNoticed, kSure * contrast.error);
}

}  // namespace

NodeGroups find_groups(std::span<const FlowTime> flows, std::size_t nodes) {
  const SlowDowns table(flows, nodes);
  NodeGroups found;
  if (nodes < 3) return found;
  const Members by_half = proposed(table.matrix(SlowDowns::kFirstHalf));
  if (by_half.empty() || !confirms(by_half, table.matrix(SlowDowns::kSecondHalf))) return found;
  const PairMatrix all = table.matrix(SlowDowns::kAll);
  found.nodes = proposed(all);
  if (found.nodes.empty()) return found;
  for (auto& group : found.nodes) std::ranges::sort(group);
  std::ranges::sort(found.nodes, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  found.slow_down = std::exp(contrast_of(found.nodes, all).difference);
  found.uplink = table.uplink(found.nodes);
  return found;
}

std::optional<MeasuredUplink> uplink_of(std::span<const FlowTime> flows,
                                        const std::vector<std::vector<std::size_t>>& groups) {
  std::size_t nodes = 0;
  for (const auto& group : groups) nodes += group.size();
  return SlowDowns(flows, nodes).uplink(groups);
}

}  // namespace nmt::contention
