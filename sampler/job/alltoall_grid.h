// SPDX-License-Identifier: BSD-3-Clause
//
// Which alltoalls to measure: first these sizes, then what is known least. Pure.
//
// Between two numbers of ranks, or two sizes, a prediction interpolates the ratio of duration to
// bound. If this ratio differs between neighbours, one more alltoall between them is worth its
// time: near the size where a start-up sets in, and below the number of ranks that saturates the
// network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nmt::sampler {

// To each rank. A search for M needs three sizes on each side: so M is found from 2 KiB on, the
// least that is published, to 128 KiB.
inline constexpr std::uint64_t kAlltoallSizesBytes[] = {256,      512,       1 << 10,   2 << 10,
                                                        4 << 10,  8 << 10,   16 << 10,  32 << 10,
                                                        64 << 10, 128 << 10, 256 << 10, 512 << 10};

// Up to 32 KiB, below which few networks show contention: no number of ranks and no short budget
// leaves out more.
inline constexpr std::size_t kAlltoallSizesMin = 8;

// Of each of a rank's two buffers, which have space for all ranks.
inline constexpr std::uint64_t kAlltoallBufferBytesMax = std::uint64_t{32} << 20;

// The sizes for that many ranks: those that fit into the buffers, and at least kAlltoallSizesMin
// (which fit up to 1,024 ranks; beyond, the buffers grow with the number of ranks).
std::span<const std::uint64_t> usual_sizes_bytes(int ranks);

// The duration of an alltoall, divided by that of its messages one after the other.
struct BoundMultiple {
  std::string algorithm;
  int ranks = 0;
  std::uint64_t size_bytes = 0;
  double of_bound = 0;
  double relative_half_width = 0;  // relative half of its 95 % interval
};

// One of the two is set; 0: all existing values of that axis.
struct NextAlltoall {
  int ranks = 0;
  std::uint64_t size_bytes = 0;
  bool operator==(const NextAlltoall&) const = default;
};

// Middles between neighbours on the logarithmic axis, those that differ most first; in whole nodes
// of `ranks_per_node`. None if neighbours differ, beyond their uncertainty, by less than a fit can
// distinguish (a difference by chance needs no closer look), or if there is nothing between them.
// Two nodes alone have the network to themselves: their ratio is 1.
struct Open {  // which axis may get more values
  bool ranks = true;
  bool sizes = true;
};
std::vector<NextAlltoall> least_known(const std::vector<BoundMultiple>& measured,
                                      int ranks_per_node, Open open);

}  // namespace nmt::sampler
