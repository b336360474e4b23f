// SPDX-License-Identifier: BSD-3-Clause
//
// What contention does to an alltoall on one network: the contention signature (paper "alltoall
// contention", equations 4 and 5), as a value.
//
// A signature belongs to an algorithm and to a number of ranks per node. It speaks of the sizes
// and numbers of ranks that it was fitted on; beyond them a prediction is an extrapolation and
// must say so. With `bound` the measured duration of one message alone, n ranks, p of them per
// node, and m bytes to each:
//   LB = p (n - p) * bound(m), the messages that cross one NIC one after the other
//   T  = LB * gamma, and from `delta_from_bytes` on also delta, once or per message of LB.
//
// Three terms go beyond the paper (docs/contention.md): gamma against the number of ranks where
// fewer do not saturate the network, measured ratios below the sizes that one gamma serves, and
// processor time where ranks share cores. core/alltoall.h evaluates all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/curve.h"

namespace nmt {

// A number of ranks that a signature was fitted on.
struct Rise {
  std::int64_t ranks = 0;
  double factor = 1;  // gamma there, over gamma at the largest number of ranks
  bool operator==(const Rise&) const = default;
};

// What a size below the fitted ones took, as a multiple of its lower bound.
struct SmallRatio {
  std::uint64_t size_bytes = 0;
  double ratio = 1;
  double spread = 0;  // relative, over the numbers of ranks
  bool operator==(const SmallRatio&) const = default;
};

// All relative (0.02 is 2 %), but for the variance of delta and its covariance with gamma.
struct Uncertainty {
  double gamma_variance = 0;
  double delta_variance = 0;  // ns^2
  double covariance = 0;      // ns
  double sessions = 0;        // spread of whole sessions
  double misfit = 0;          // spread about the model that the replicates do not explain
  double left_out = 0;        // root mean square where a number of ranks was left out; 0: one only
  double growth = 0;          // standard error of the signature's growth
  double quantile = 1.96;     // of Student's t: half a 95 % interval per standard error
  bool operator==(const Uncertainty&) const = default;
};

struct Signature {
  std::string algorithm;  // "direct" ...
  std::int64_t ranks_per_node = 1;
  Curve bound;
  double gamma = 1;
  double delta_ns = 0;
  bool delta_per_message = true;
  std::uint64_t delta_from_bytes = 0;  // the paper's M
  std::int64_t ranks_min = 0;          // fitted on
  std::int64_t ranks_max = 0;
  std::uint64_t size_bytes_min = 0;
  std::uint64_t size_bytes_max = 0;
  double error = 0;               // relative half-width of the 95 % interval of a prediction
  bool saturated = false;         // fitted where the network is saturated, as the model assumes
  std::vector<Rise> rises;        // by ranks; the last is 1
  double growth = 0;              // exponent by which gamma still grows with ranks beyond them
  std::vector<SmallRatio> small;  // by size
  std::int64_t cores = 0;         // under all ranks together; 0: one for each
  double processor_ns = 0;        // c in c n (n - 1) / cores: processor time, not the network's
  std::optional<Uncertainty> uncertainty;  // nullopt: a signature from elsewhere
  bool operator==(const Signature&) const = default;
};

}  // namespace nmt
