// SPDX-License-Identifier: BSD-3-Clause
//
// How long an exchange takes at least, where nothing stands in its way (paper "alltoall
// contention", section 5), and the two-state gap of its section 6.
//
// A duration of one message alone is a Curve: measured, or the straight line alpha + m beta of the
// paper. With p ranks on each node, the p (n - p) messages that leave a node cross its NIC one
// after the other. What cannot be asked throws Error(kUsage). Times in nanoseconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/curve.h"

namespace nmt {

Curve straight_line(double alpha_ns, double beta_ns_per_byte);

// p (n - p); refuses fewer than two ranks, and ranks that are all on one node.
double messages_through_nic(std::int64_t ranks, std::int64_t ranks_per_node);

// Proposition 1, with the measured duration of one message instead of a straight line.
double lower_bound_ns(const Curve& message, std::int64_t ranks, std::int64_t ranks_per_node,
                      std::uint64_t size_bytes);

// Bytes from each rank (row) to each other (column). Square; the diagonal does not count, and 0 is
// no message.
using ExchangeSizes = std::vector<std::vector<std::uint64_t>>;

// What the busiest ranks have to do; rows of Claim 3.
struct UnequalExchange {
  std::int64_t startups = 0;        // of the rank with the most messages, either way
  std::int64_t startups_large = 0;  // the same for messages of at least `large_bytes`
  double transfer_ns = 0;           // of the rank with the most to transfer, either way
  double lower_bound_ns = 0;
};
// Claim 3: max(out-degree, in-degree) * T(0) + max over ranks of the sum of T(w) - T(0), sent or
// received; for a straight line that is the paper's formula to the letter.
UnequalExchange unequal_exchange(const Curve& message, const ExchangeSizes& sizes,
                                 std::uint64_t large_bytes);

// Equation 3: the gap per byte where the share `rho` of the connections is delayed.
double two_state_gap(double free_gap, double contended_gap, double rho);

// k connections at a time, each moving `size_bytes`: when they had finished, in the mean and the
// slowest of them (the paper's figures 2 and 3, where each connection has NICs of its own). More
// connections than nodes share their NICs, which is no contention and is taken off.
struct ConnectionProbe {
  std::int64_t connections = 0;
  std::uint64_t size_bytes = 0;
  double mean_ns = 0;
  double slowest_ns = 0;
  std::int64_t nodes = 0;  // 0: as many as there are connections, or more
};
struct TwoStates {
  double free_gap_ns = 0;       // beta_F: per byte, of the fewest connections
  double contended_gap_ns = 0;  // beta_C: per byte, of the slowest among the most connections
  double rho = 0;               // the share of delayed ones that gives the mean among the most
  bool operator==(const TwoStates&) const = default;
};
// At least two probes with different numbers of connections; else, and for times that cannot be,
// Error(kUsage).
TwoStates two_states(std::span<const ConnectionProbe> probes);

}  // namespace nmt
