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
#include <vector>

#include "core/curve.h"

namespace nmt {

Curve straight_line(double alpha_ns, double beta_ns_per_byte);

// p (n - p). Refuses fewer than two ranks, and ranks that are all on one node.
double messages_through_nic(std::int64_t ranks, std::int64_t ranks_per_node);

// Proposition 1, with the measured duration of one message instead of a straight line.
double lower_bound_ns(const Curve& message, std::int64_t ranks, std::int64_t ranks_per_node,
                      std::uint64_t size_bytes);

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
};
struct TwoStates {
  double free_gap_ns = 0;       // beta_F: per byte, with the fewest connections
  double contended_gap_ns = 0;  // beta_C: per byte, of the slowest with the most connections
  double rho = 0;               // share of delayed connections that explains the mean of the most
  bool operator==(const TwoStates&) const = default;
};
// Takes at least two probes with different numbers of connections; otherwise, and for impossible
// times, Error(kUsage).
TwoStates two_states(std::span<const ConnectionProbe> probes);

}  // namespace nmt
