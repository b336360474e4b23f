// SPDX-License-Identifier: BSD-3-Clause
#include "contention/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/alltoall.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

void check(const ConnectionProbe& probe) {
  if (probe.connections > 0 && probe.size_bytes > 0 && probe.mean_ns > 0 &&
      probe.slowest_ns >= probe.mean_ns) {
    return;
  }
  throw Error(Fault::kUsage,
              fmt::format("{} connections of {} B in {} ns, the slowest {} ns: times are "
                          "positive, and the slowest is not before the mean",
                          probe.connections, probe.size_bytes, probe.mean_ns, probe.slowest_ns));
}

// The smallest and the largest size that so many connections moved.
struct Ends {
  const ConnectionProbe* small = nullptr;
  const ConnectionProbe* large = nullptr;
};
Ends ends_of(std::span<const ConnectionProbe> probes, std::int64_t connections) {
  Ends ends;
  for (const ConnectionProbe& probe : probes) {
    if (probe.connections != connections) continue;
    if (!ends.small || probe.size_bytes < ends.small->size_bytes) ends.small = &probe;
    if (!ends.large || probe.size_bytes > ends.large->size_bytes) ends.large = &probe;
  }
  return ends;
}

// Per byte of one connection.
double gap_of(const Ends& ends, double ConnectionProbe::*duration_ns, double startup_ns) {
  const double large_ns = ends.large->*duration_ns;
  const double more_ns = large_ns - ends.small->*duration_ns;
  if (more_ns > 0) {
    return more_ns / static_cast<double>(ends.large->size_bytes - ends.small->size_bytes);
  }
  const double moved_ns = large_ns > startup_ns ? large_ns - startup_ns : large_ns;
  return moved_ns / static_cast<double>(ends.large->size_bytes);
}

double per_nic(const ConnectionProbe& probe) {
  if (probe.nodes <= 0 || probe.connections <= probe.nodes) return 1;
  return static_cast<double>(probe.connections) / static_cast<double>(probe.nodes);
}

}  // namespace

Curve straight_line(double alpha_ns, double beta_ns_per_byte) {
  if (!(std::isfinite(alpha_ns) && alpha_ns >= 0 && std::isfinite(beta_ns_per_byte) &&
        beta_ns_per_byte >= 0)) {
    throw Error(Fault::kUsage,
                fmt::format("alpha = {} ns and beta = {} ns per byte: neither may be negative",
                            alpha_ns, beta_ns_per_byte));
  }
  constexpr double kFar = 0x1p30;  // so far that rounding in alpha does not affect the slope
  return Curve({{0, alpha_ns}, {kFar, alpha_ns + kFar * beta_ns_per_byte}});
}

double messages_through_nic(std::int64_t ranks, std::int64_t ranks_per_node) {
  if (ranks < 2) {
    throw Error(Fault::kUsage, fmt::format("n = {}: an alltoall needs at least 2 ranks", ranks));
  }
  if (ranks_per_node < 1) {
    throw Error(Fault::kUsage, fmt::format("{} ranks per node: give at least 1", ranks_per_node));
  }
  if (ranks <= ranks_per_node) {
    throw Error(Fault::kUsage, fmt::format("n = {} with {} ranks per node: all ranks are on one "
                                           "node, where they contend for memory "
                                           "and not for a network; give more than {}",
                                           ranks, ranks_per_node, ranks_per_node));
  }
  return messages_of(ranks, ranks_per_node);
}

double lower_bound_ns(const Curve& message, std::int64_t ranks, std::int64_t ranks_per_node,
                      std::uint64_t size_bytes) {
  return messages_through_nic(ranks, ranks_per_node) * message.at(static_cast<double>(size_bytes));
}

std::span<const std::string> nodes_of(std::span<const std::string> nodes, std::int64_t ranks,
                                      std::int64_t ranks_per_node) {
  const std::int64_t needed = (ranks + ranks_per_node - 1) / ranks_per_node;
  if (needed > static_cast<std::int64_t>(nodes.size())) {
    throw Error(Fault::kUsage,
                fmt::format("n = {} with {} per node needs {} nodes, and {} are named; name more",
                            ranks, ranks_per_node, needed, nodes.size()));
  }
  return nodes.first(static_cast<std::size_t>(needed));
}

double lower_bound_ns(const Curve& message, std::int64_t ranks, std::int64_t ranks_per_node,
                      std::uint64_t size_bytes, const Topology& topology,
                      std::span<const std::string> nodes) {
  const double startups = messages_through_nic(ranks, ranks_per_node);
  const double transfers =
      topology.transfers(nodes_of(nodes, ranks, ranks_per_node), ranks_per_node);
  const double startup_ns = message.at(0);
  return startups * startup_ns +
         transfers * (message.at(static_cast<double>(size_bytes)) - startup_ns);
}

UnequalExchange unequal_exchange(const Curve& message, const ExchangeSizes& sizes,
                                 std::uint64_t large_bytes) {
  const std::size_t ranks = sizes.size();
  if (ranks < 2) {
    throw Error(Fault::kUsage,
                fmt::format("sizes of {} ranks: an exchange needs at least 2 rows", ranks));
  }
  const double startup_ns = message.at(0);
  std::vector<UnequalExchange> sent(ranks);
  std::vector<UnequalExchange> received(ranks);
  for (std::size_t from = 0; from < ranks; ++from) {
    if (sizes[from].size() != ranks) {
      throw Error(Fault::kUsage, fmt::format("row {} has {} sizes; one for each of the {} ranks",
                                             from + 1, sizes[from].size(), ranks));
    }
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::uint64_t bytes = sizes[from][to];
      if (to == from || bytes == 0) continue;
      const double transfer_ns = message.at(static_cast<double>(bytes)) - startup_ns;
      for (UnequalExchange* end : {&sent[from], &received[to]}) {
        end->startups += 1;
        end->startups_large += bytes >= large_bytes ? 1 : 0;
        end->transfer_ns += transfer_ns;
      }
    }
  }
  UnequalExchange busiest;
  for (const auto* ends : {&sent, &received}) {
    for (const UnequalExchange& end : *ends) {
      busiest.startups = std::max(busiest.startups, end.startups);
      busiest.startups_large = std::max(busiest.startups_large, end.startups_large);
      busiest.transfer_ns = std::max(busiest.transfer_ns, end.transfer_ns);
    }
  }
  busiest.lower_bound_ns = static_cast<double>(busiest.startups) * startup_ns + busiest.transfer_ns;
  return busiest;
}

UnequalExchange unequal_exchange(const Curve& message, const ExchangeSizes& sizes,
                                 std::uint64_t large_bytes, const Topology& topology,
                                 std::span<const std::string> nodes) {
  UnequalExchange busiest = unequal_exchange(message, sizes, large_bytes);
  const double startup_ns = message.at(0);
  std::vector<std::vector<double>> transfers_ns(sizes.size(), std::vector<double>(sizes.size(), 0));
  for (std::size_t from = 0; from < sizes.size(); ++from) {
    for (std::size_t to = 0; to < sizes.size(); ++to) {
      if (to == from || sizes[from][to] == 0) continue;
      transfers_ns[from][to] = message.at(static_cast<double>(sizes[from][to])) - startup_ns;
    }
  }
  const auto used = nodes_of(nodes, static_cast<std::int64_t>(sizes.size()), 1);
  busiest.transfer_ns = std::max(busiest.transfer_ns, topology.busiest_cut(used, transfers_ns));
  busiest.lower_bound_ns = static_cast<double>(busiest.startups) * startup_ns + busiest.transfer_ns;
  return busiest;
}

double two_state_gap(double free_gap, double contended_gap, double rho) {
  if (!(rho >= 0 && rho <= 1)) {
    throw Error(Fault::kUsage, fmt::format("rho = {} is not a share; write 0 to 1", rho));
  }
  return (1 - rho) * free_gap + rho * contended_gap;
}

TwoStates two_states(std::span<const ConnectionProbe> probes, double startup_ns) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const ConnectionProbe& probe : probes) {
    check(probe);
    fewest = std::min(fewest, probe.connections);
    most = std::max(most, probe.connections);
  }
  if (fewest >= most) {
    throw Error(Fault::kUsage, "a saturation probe needs two different numbers of connections");
  }
  const Ends few = ends_of(probes, fewest);
  const Ends many = ends_of(probes, most);
  const double nics = per_nic(*many.large);
  TwoStates states{
      .free_gap_ns = gap_of(few, &ConnectionProbe::mean_ns, startup_ns) / per_nic(*few.large),
      .contended_gap_ns = gap_of(many, &ConnectionProbe::slowest_ns, startup_ns) / std::ceil(nics)};
  const double mean_gap_ns = gap_of(many, &ConnectionProbe::mean_ns, startup_ns) / nics;
  const double between = states.contended_gap_ns - states.free_gap_ns;
  states.rho =
      between > 0 ? std::clamp((mean_gap_ns - states.free_gap_ns) / between, 0.0, 1.0) : 0.0;
  return states;
}

}  // namespace nmt::contention
