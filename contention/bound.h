// SPDX-License-Identifier: BSD-3-Clause
//
// The lower bound of an exchange's duration without contention (paper "alltoall contention",
// section 5), and the two-state gap of its section 6.
//
// The duration of one message alone is a Curve: measured, or the paper's straight line alpha + m
// beta. With p ranks on each node, the p (n - p) messages that leave a node cross its NIC one after
// the other. An impossible question throws Error(kUsage). Times are in nanoseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contention/topology.h"
#include "core/curve.h"

namespace nmt::contention {

Curve straight_line(double alpha_ns, double beta_ns_per_byte);

// p (n - p). Refuses fewer than two ranks, and ranks that are all on one node.
double messages_through_nic(std::int64_t ranks, std::int64_t ranks_per_node);

// Proposition 1, with the measured duration of one message instead of a straight line.
double lower_bound_ns(const Curve& message, std::int64_t ranks, std::int64_t ranks_per_node,
                      std::uint64_t size_bytes);

// The same where switches are known, for ranks on `nodes` in order, as many on each: every start-up
// passes a NIC, and what is transferred passes the busiest cut. Refuses fewer nodes than ranks
// need.
double lower_bound_ns(const Curve& message, std::int64_t ranks, std::int64_t ranks_per_node,
                      std::uint64_t size_bytes, const Topology& topology,
                      std::span<const std::string> nodes);

// The nodes of the first `ranks` ranks. Refuses fewer nodes than these need.
std::span<const std::string> nodes_of(std::span<const std::string> nodes, std::int64_t ranks,
                                      std::int64_t ranks_per_node);

// Bytes from each rank (row) to each other rank (column). Square; the diagonal is ignored, and 0
// means no message.
using ExchangeSizes = std::vector<std::vector<std::uint64_t>>;

// The work of the busiest ranks, as in Claim 3.
struct UnequalExchange {
  std::int64_t startups = 0;        // of the rank with the most messages, sent or received
  std::int64_t startups_large = 0;  // the same for messages of at least `large_bytes`
  double transfer_ns = 0;           // of the rank with the most to transfer, sent or received
  double lower_bound_ns = 0;
};
// Claim 3: max(out-degree, in-degree) * T(0) + max over ranks of the sum of T(w) - T(0), sent or
// received. For a straight line this is exactly the paper's formula.
UnequalExchange unequal_exchange(const Curve& message, const ExchangeSizes& sizes,
                                 std::uint64_t large_bytes);

// The same where switches are known, for one rank on each of `nodes`, in order: what the busiest
// cut transfers counts where that is more.
UnequalExchange unequal_exchange(const Curve& message, const ExchangeSizes& sizes,
                                 std::uint64_t large_bytes, const Topology& topology,
                                 std::span<const std::string> nodes);

// Equation 3: the gap per byte if the share `rho` of the connections is delayed.
double two_state_gap(double free_gap, double contended_gap, double rho);

// k connections at a time, each moving `size_bytes`: the mean of their durations and the slowest
// (the paper's figures 2 and 3, where each connection has its own NICs). If there are more
// connections than nodes, they share NICs; that is no contention and is subtracted.
struct ConnectionProbe {
  std::int64_t connections = 0;
  std::uint64_t size_bytes = 0;
  double mean_ns = 0;
  double slowest_ns = 0;
  std::int64_t nodes = 0;  // 0: at least as many as connections
  bool operator==(const ConnectionProbe&) const = default;
};
struct TwoStates {
  double free_gap_ns = 0;       // beta_F: per byte, with the fewest connections
  double contended_gap_ns = 0;  // beta_C: per byte, of the slowest with the most connections
  double rho = 0;               // share of delayed connections that explains the mean of the most
  bool operator==(const TwoStates&) const = default;
};
// A gap is the slope between the smallest and the largest size of as many connections, so that no
// start-up counts into it. Where there is one size, or noise leaves no slope, it is what the
// largest takes beyond `startup_ns`, per byte. Takes at least two different numbers of connections;
// otherwise, and for impossible times, Error(kUsage).
TwoStates two_states(std::span<const ConnectionProbe> probes, double startup_ns);

}  // namespace nmt::contention
