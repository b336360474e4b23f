// SPDX-License-Identifier: BSD-3-Clause
//
// What the duration of a collective is a sum of: for each algorithm, the numbers of messages, bytes
// and copies on its critical path, of which the model fits the costs (paper "HierKNEM", section 3;
// tuner/collective_model.h).
//
// Bytes are of one message; for an allgather, a gather, a scatter or a reduce_scatter, of one
// rank's data; for an alltoall, of one rank's data for another. "Fill" is the number of messages
// that the last leader waits for until it has its first segment, "width" the number of messages
// that the busiest leader sends for each further one.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::tuner {

struct CollectiveShape {
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;  // of the fullest node
  auto operator<=>(const CollectiveShape&) const = default;
};

// One way to run an operation. A segment of 0 means the whole message.
struct CollectiveChoice {
  std::string algorithm;  // "library": the MPI's own choice
  std::uint64_t segment_bytes = 0;
  std::int64_t leaders = 1;
  auto operator<=>(const CollectiveChoice&) const = default;
};

// As many for all calls of one operation with the same algorithm.
std::vector<double> collective_terms(std::string_view operation, const CollectiveChoice& choice,
                                     std::uint64_t size_bytes, const CollectiveShape& shape);

}  // namespace nmt::tuner
