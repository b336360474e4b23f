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
#pragma once

#include <cstdint>
#include <string>

#include "core/curve.h"

namespace nmt {

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
  double error = 0;        // relative half-width of the 95 % interval of a prediction
  bool saturated = false;  // fitted where the network is saturated, as the model assumes
  bool operator==(const Signature&) const = default;
};

}  // namespace nmt
