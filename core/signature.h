// SPDX-License-Identifier: BSD-3-Clause
//
// What contention does to an alltoall on one network: the contention signature (paper "alltoall
// contention", equations 4 and 5), as a value.
//
// A signature belongs to one algorithm and one number of ranks per node. It holds for the sizes and
// numbers of ranks that it was fitted on. A prediction beyond them is an extrapolation, and must
// say so. Let bound(m) be the measured duration of one message of m bytes alone, n the ranks, p the
// ranks per node, and m the bytes to each rank:
//   LB = p (n - p) * bound(m), the messages that cross one NIC one after the other
//   T  = LB * gamma, and from `delta_from_bytes` on also delta, once or per message of LB.
//
// Three terms go beyond the paper (docs/contention.md): gamma by number of ranks where fewer ranks
// do not saturate the network, measured ratios for sizes below the range of the fit, or for all
// sizes where those predict better, and processor time where ranks share cores. core/alltoall.h
// evaluates them all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/curve.h"

namespace nmt {

// Gamma at one number of ranks that the signature was fitted on; or the ratios of all sizes there.
struct Rise {
  std::int64_t ranks = 0;
  double factor = 1;  // gamma there, divided by gamma at the largest number of ranks
  bool operator==(const Rise&) const = default;
};

// Duration at a size, as a multiple of its lower bound. Below the fitted sizes: at all numbers of
// ranks. Where all sizes keep such ratios: at the largest number of ranks (RatioGrowth).
struct SmallRatio {
  std::uint64_t size_bytes = 0;
  double ratio = 1;
  double spread = 0;  // relative, over the numbers of ranks; of all sizes: at those left out too
  bool operator==(const SmallRatio&) const = default;
};

// All values are relative (0.02 is 2 %), except the variance of delta and its covariance with
// gamma.
struct Uncertainty {
  double gamma_variance = 0;
  double delta_variance = 0;  // ns^2
  double covariance = 0;      // ns
  double sessions = 0;        // spread between sessions
  double misfit = 0;       // spread about the model that the spread of replicates does not explain
  double left_out = 0;     // root mean square error at held-out numbers of ranks; 0: one only
  double growth = 0;       // standard error of the signature's growth
  double quantile = 1.96;  // of Student's t: half a 95 % interval per standard error
  bool operator==(const Uncertainty&) const = default;
};

// How the ratios of all sizes grow with the number of ranks, all alike. The fields say of them what
// those of a signature say of gamma.
struct RatioGrowth {
  std::vector<Rise> rises;
  double growth = 0;
  double growth_error = 0;  // standard error of `growth`
  bool growth_saturates = false;
  bool operator==(const RatioGrowth&) const = default;
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
  double error = 0;  // relative half-width of the 95 % interval of a prediction
  // The fitted network was saturated, as the model assumes: what predicts, gamma or the ratios of
  // all sizes, no longer changed with the number of ranks.
  bool saturated = false;
  std::vector<Rise> rises;  // by ranks; the last is 1
  double growth = 0;        // exponent of gamma by ranks, at the last of `rises`
  // Beyond it: false: gamma is a power with this exponent; true: it flattens (core/alltoall.h).
  bool growth_saturates = false;
  std::vector<SmallRatio> small;  // by size: below the fitted sizes, or all
  // Of the ratios of all sizes, which then predict in place of gamma and delta; these only describe
  // the network. nullopt: gamma and delta predict.
  std::optional<RatioGrowth> ratio_growth;
  std::int64_t cores = 0;   // that all ranks share; 0: one core per rank
  double processor_ns = 0;  // c in c n (n - 1) / cores: processor time, not network time
  std::optional<Uncertainty> uncertainty;  // nullopt: signature from another source
  bool operator==(const Signature&) const = default;
};

}  // namespace nmt
