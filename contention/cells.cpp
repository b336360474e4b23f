// SPDX-License-Identifier: BSD-3-Clause
#include "contention/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "contention/bound.h"
#include "core/error.h"
#include "core/units.h"

namespace nmt::contention {
namespace {

constexpr std::size_t kSizesMin = 4;     // the paper, section 8: "at least four measurement points"
constexpr std::size_t kSessionsMin = 4;  // with fewer, their spread is a guess
constexpr double kNormalPerMad = 1.4826;
// No clock or network repeats better than this; keeps weights finite if times are equal.
constexpr double kSpreadMin = 1e-3;

[[noreturn]] void refuse(const std::string& message) { throw Error(Fault::kUsage, message); }

void check_times(const AlltoallTimes& measured) {
  if (measured.times.empty()) refuse("no alltoall durations; measure or import some");
  if (measured.message.empty()) {
    refuse(
        "no durations of single messages; the lower bound needs a ping-pong on the same network "
        "(--p2p FILE)");
  }
  for (const AlltoallTime& time : measured.times) {
    const std::string name =
        fmt::format("alltoall of n = {}, m = {}", time.ranks, format_bytes(time.size_bytes));
    messages_through_nic(time.ranks, measured.ranks_per_node);
    if (time.size_bytes == 0) refuse(name + ": an empty exchange moves nothing; take m from 1 B");
    if (!(std::isfinite(time.duration_ns) && time.duration_ns > 0)) {
      refuse(
          fmt::format("{}: a duration of {} ns; durations are positive", name, time.duration_ns));
    }
    if (!(measured.message.at(static_cast<double>(time.size_bytes)) > 0)) {
      refuse(fmt::format("{}: a single message takes no time; its ping-pong is wrong", name));
    }
  }
}

void check_design(const std::set<std::int64_t>& ranks, const std::set<std::uint64_t>& sizes,
                  const FitOptions& options) {
  if (sizes.size() < kSizesMin) {
    refuse(fmt::format("{} of alltoall; gamma and delta need at least {} sizes",
                       sizes.size() == 1 ? "1 size" : fmt::format("{} sizes", sizes.size()),
                       kSizesMin));
  }
  if (options.delta_from_bytes && *sizes.rbegin() < *options.delta_from_bytes) {
    refuse(fmt::format(
        "all sizes are below M = {}, the largest is {}, so delta cannot be fitted; measure sizes "
        "of M and more",
        format_bytes(*options.delta_from_bytes), format_bytes(*sizes.rbegin())));
  }
  if (ranks.size() < 2 && !options.delta_form) {
    refuse(fmt::format(
        "only one number of ranks (n = {}): delta and gamma cannot be separated; measure "
        "another number of ranks, or choose the form of delta (--delta-form per_communication, "
        "as in the paper, or once)",
        *ranks.begin()));
  }
}

double log_deviation(std::span<const double> logs) {
  return kNormalPerMad * median_absolute_deviation(logs);
}

// Times far from the other times of their cell, on the logarithmic axis.
std::vector<bool> outliers_among(const std::vector<double>& durations_ns) {
  constexpr std::size_t kEnough = 5;  // with fewer, it is unknown which one is wrong
  constexpr double kFar = 5;
  constexpr double kOdd =
      0.05;  // the places of jobs make as much difference, where nothing else does
  std::vector<bool> outliers(durations_ns.size(), false);
  if (durations_ns.size() < kEnough) return outliers;
  std::vector<double> logs;
  for (const double duration_ns : durations_ns) logs.push_back(std::log(duration_ns));
  const double centre = median(logs);
  const double far = std::max(kFar * log_deviation(logs), kOdd);
  for (std::size_t i = 0; i < logs.size(); ++i) outliers[i] = std::abs(logs[i] - centre) > far;
  return outliers;
}

// Relative standard error of the location of one session's times.
double location_spread(std::span<const double> durations_ns) {
  if (durations_ns.size() < 3) return 0;
  std::vector<double> logs;
  for (const double duration_ns : durations_ns) logs.push_back(std::log(duration_ns));
  return log_deviation(logs) / std::sqrt(static_cast<double>(logs.size()));
}

// What the time would be on the topology's first nodes, if only the bound changed: times of one
// cell on different nodes become comparable.
double as_on_first_nodes(const AlltoallTimes& measured, const Curve& message,
                         const AlltoallTime& time) {
  const auto hosts = measured.hosts.find(time.session);
  if (!measured.topology || hosts == measured.hosts.end()) return time.duration_ns;
  const auto bound_ns = [&](std::span<const std::string> nodes) {
    return lower_bound_ns(message, time.ranks, measured.ranks_per_node, time.size_bytes,
                          *measured.topology, nodes);
  };
  return time.duration_ns * bound_ns(measured.topology->nodes()) / bound_ns(hosts->second);
}

}  // namespace

AlltoallTable::AlltoallTable(const AlltoallTimes& measured, const FitOptions& options) {
  check_times(measured);
  std::set<std::int64_t> ranks;
  std::set<std::uint64_t> sizes;
  for (const AlltoallTime& time : measured.times) {
    ranks.insert(time.ranks);
    sizes.insert(time.size_bytes);
  }
  check_design(ranks, sizes, options);
  make_cells(measured);
  make_groups(measured);
}

void AlltoallTable::make_cells(const AlltoallTimes& measured) {
  std::set<std::pair<std::int64_t, std::uint64_t>> keys;
  for (const AlltoallTime& time : measured.times) keys.insert({time.ranks, time.size_bytes});
  const Curve message = measured.message.monotone();
  const auto bound_ns = [&](std::int64_t n, std::uint64_t size, double messages) {
    if (measured.topology) {
      return lower_bound_ns(message, n, measured.ranks_per_node, size, *measured.topology,
                            measured.topology->nodes());
    }
    return messages * message.at(static_cast<double>(size));
  };
  for (const auto& [ranks, size_bytes] : keys) {
    const double messages = messages_through_nic(ranks, measured.ranks_per_node);
    const bool crowded = measured.cores > 0 && ranks > measured.cores;
    const double n = static_cast<double>(ranks);
    cells_.push_back(
        {.ranks = ranks,
         .size_bytes = size_bytes,
         .messages = messages,
         .bound_ns = bound_ns(ranks, size_bytes, messages),
         .processors = crowded ? n * (n - 1) / static_cast<double>(measured.cores) : 0});
  }
}

void AlltoallTable::make_groups(const AlltoallTimes& measured) {
  std::map<std::pair<std::int64_t, std::uint64_t>, std::size_t> cell_of;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cell_of[{cells_[i].ranks, cells_[i].size_bytes}] = i;
  }
  std::map<std::uint32_t, std::size_t> session_of;
  for (const AlltoallTime& time : measured.times) session_of.emplace(time.session, 0);
  std::size_t next = 0;
  for (auto& [session, index] : session_of) index = next++;
  factors_.assign(next, 1);

  const Curve message = measured.message.monotone();
  std::vector<std::vector<double>> durations_ns(cells_.size());
  std::vector<std::vector<std::size_t>> sessions(cells_.size());
  for (const AlltoallTime& time : measured.times) {
    const std::size_t cell = cell_of[{time.ranks, time.size_bytes}];
    durations_ns[cell].push_back(as_on_first_nodes(measured, message, time));
    sessions[cell].push_back(session_of[time.session]);
  }
  std::vector<double> within;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const std::vector<bool> outliers = outliers_among(durations_ns[cell]);
    std::map<std::size_t, std::vector<double>> kept;
    for (std::size_t i = 0; i < outliers.size(); ++i) {
      ++(outliers[i] ? outliers_ : times_);
      if (!outliers[i]) kept[sessions[cell][i]].push_back(durations_ns[cell][i]);
    }
    for (const auto& [session, values] : kept) {
      groups_.push_back({cell, session, interquartile_mean(values), double(values.size())});
      within.push_back(location_spread(values));
    }
  }
  find_factors();
  find_spreads(within);
}

// Alternates: cells from the times divided by the sessions' factors, factors from the times divided
// by the cells.
void AlltoallTable::find_factors() {
  constexpr int kPasses = 4;  // one pass is enough if every session has every cell
  std::vector<double> weight(cells_.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    for (AlltoallCell& cell : cells_) cell.duration_ns = 0;
    std::ranges::fill(weight, 0);
    for (const Group& group : groups_) {
      cells_[group.cell].duration_ns += group.location_ns / factors_[group.session];
      weight[group.cell] += 1;
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].duration_ns /= weight[i];
    if (factors_.size() < 2) return;
    std::vector<double> logs(factors_.size(), 0);
    std::vector<double> count(factors_.size(), 0);
    for (const Group& group : groups_) {
      logs[group.session] += std::log(group.location_ns / cells_[group.cell].duration_ns);
      count[group.session] += 1;
    }
    double mean = 0;
    for (std::size_t s = 0; s < factors_.size(); ++s) {
      factors_[s] = count[s] > 0 ? std::exp(logs[s] / count[s]) : 1;  // all its times may be odd
      mean += factors_[s] / static_cast<double>(factors_.size());
    }
    for (double& factor : factors_) factor /= mean;
  }
}

// The spread between sessions if there are several, else between the times of the one. A cell's own
// spread comes from a few values only, so it is averaged with that of all cells.
void AlltoallTable::find_spreads(std::span<const double> within) {
  std::vector<double> squares(cells_.size(), 0);
  std::vector<double> groups(cells_.size(), 0);
  std::vector<double> inside(cells_.size(), 0);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const double expected_ns = cells_[group.cell].duration_ns * factors_[group.session];
    squares[group.cell] += std::pow(std::log(group.location_ns / expected_ns), 2);
    groups[group.cell] += 1;
    inside[group.cell] = std::max(inside[group.cell], within[i]);
  }
  std::vector<double> variances;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    variances.push_back(groups[i] > 1 ? squares[i] / (groups[i] - 1) / groups[i]
                                      : inside[i] * inside[i]);
  }
  const double common = median(variances);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].spread = std::max(std::sqrt((variances[i] + common) / 2), kSpreadMin);
  }
  if (factors_.size() < 2) return;
  double variance = 0;
  for (const double factor : factors_) variance += (factor - 1) * (factor - 1);
  session_spread_ = std::sqrt(variance / static_cast<double>(factors_.size() - 1));
}

bool AlltoallTable::sessions_tell() const {
  std::vector<std::size_t> groups(cells_.size(), 0);
  for (const Group& group : groups_) ++groups[group.cell];
  return std::ranges::all_of(groups, [](std::size_t n) { return n >= kSessionsMin; });
}

std::vector<double> AlltoallTable::resampled(std::mt19937_64& random) const {
  std::uniform_int_distribution<std::size_t> draw(0, factors_.size() - 1);
  std::vector<double> drawn(factors_.size(), 0);
  double factor = 0;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const std::size_t session = draw(random);
    drawn[session] += 1;
    factor += factors_[session] / static_cast<double>(factors_.size());
  }
  std::vector<double> durations_ns(cells_.size(), 0);
  std::vector<double> weights(cells_.size(), 0);
  for (const Group& group : groups_) {
    durations_ns[group.cell] += drawn[group.session] * group.location_ns / factors_[group.session];
    weights[group.cell] += drawn[group.session];
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    // No drawn session has this cell, so it stays unchanged.
    durations_ns[i] =
        factor * (weights[i] > 0 ? durations_ns[i] / weights[i] : cells_[i].duration_ns);
  }
  return durations_ns;
}

}  // namespace nmt::contention
